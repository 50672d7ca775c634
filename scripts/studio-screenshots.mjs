/**
 * Takes the screenshots of docs/studio, of a gateway with the sample notebook, with Debian's Chromium:
 *
 *     npm run build && node scripts/studio-screenshots.mjs http://127.0.0.1:4000/
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root } from './setup/root.mjs';

const [, , url = 'http://127.0.0.1:4000/'] = process.argv;
const folder = join(root, 'docs', 'studio');
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 780 };

/** Waits for the hits and their formulas. */
const settled = async (page) => {
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined);
  await page.waitForTimeout(400);
};

/**
 * @type {readonly { name: string, path?: string, zh?: true, dark?: true, phone?: true, act?: (page:
 * import('playwright-core').Page) => Promise<unknown> }[]}
 */
const STATES = [
  { name: 'first-visit' },
  {
    name: 'search',
    act: async (page) => {
      await page.fill('#query', 'Solve the inequality $-3x>9$');
      await page.locator('.hit').first().waitFor();
      await page.locator('.tone-error input').fill('0.8');
      await page.locator('.moved').first().waitFor();
      await page.locator('.hit summary').first().click();
    },
  },
  {
    name: 'search-zh-dark',
    zh: true,
    dark: true,
    act: async (page) => {
      await page.fill('#query', '去分母时漏乘不含分母的项');
      await page.getByRole('tab').nth(4).click();
    },
  },
  {
    name: 'compare',
    act: async (page) => {
      await page.fill('#query', 'Calculate 1/2 + 1/3');
      await page.locator('.hit').first().waitFor();
      await page.getByRole('button', { name: 'Compare two settings' }).click();
      await page.locator('.tone-question input').fill('0');
      await page.locator('.tone-solution input').fill('1');
    },
  },
  { name: 'card-zh', path: '#/cards/sample-zh-033', zh: true },
  {
    name: 'editor-zh',
    path: '#/cards/new',
    zh: true,
    act: async (page) => {
      await page.locator('form.draft textarea').first().fill('解不等式：$-2x>6$');
      await page.locator('form.draft textarea').nth(1).fill('两边同除以 $-2$，得 $x>-3$。');
      await page.locator('.suggestions').first().waitFor();
    },
  },
  {
    name: 'today-zh',
    path: '#/today',
    zh: true,
    act: async (page) => {
      for (const _ of [1, 2, 3]) await page.keyboard.press('h');
      await page.locator('.hints li').first().waitFor();
    },
  },
  { name: 'fingerprint', path: '#/fingerprint' },
  { name: 'operations', path: '#/operations' },
  {
    name: 'phone-zh',
    zh: true,
    phone: true,
    act: (page) => page.fill('#query', '10 g 盐放进 40 g 水，溶质质量分数是多少'),
  },
];

await mkdir(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});
for (const { name, path = '', zh, dark, phone, act } of STATES) {
  const page = await browser.newPage({
    locale: zh ? 'zh-CN' : 'en-US',
    colorScheme: dark ? 'dark' : 'light',
    viewport: phone ? PHONE : DESK,
  });
  await page.goto(new URL(path, url).href);
  await settled(page);
  await act?.(page);
  await settled(page);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
  console.log(`docs/studio/${name}.png`);
}
await browser.close();
