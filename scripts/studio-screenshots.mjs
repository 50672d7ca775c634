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

/** Waits for the hits and their formulas. */
const settled = async (page) => {
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => undefined);
  await page.waitForTimeout(400);
};

/**
 * @type {readonly { name: string, path?: string, zh?: true, act?: (page: import('playwright-core').Page) =>
 * Promise<unknown> }[]}
 */
const STATES = [
  { name: 'first-visit' },
  {
    name: 'search',
    act: async (page) => {
      await page.fill('#query', 'Solve the inequality $-3x>9$');
      await page.locator('.hit').first().waitFor();
      await page.locator('.lane-error input').fill('0.8');
      await page.locator('.moved').first().waitFor();
      await page.locator('.hit summary').first().click();
    },
  },
  {
    name: 'editor-zh',
    path: '#/cards/new',
    zh: true,
    act: async (page) => {
      await page.getByLabel('题目 *').fill('解不等式：$-2x>6$');
      await page.getByLabel('错解').fill('两边同除以 $-2$，得 $x>-3$。');
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
];

await mkdir(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});
for (const { name, path = '', zh, act } of STATES) {
  const page = await browser.newPage({ locale: zh ? 'zh-CN' : 'en-US', viewport: DESK });
  await page.goto(new URL(path, url).href);
  await settled(page);
  await act?.(page);
  await settled(page);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
  console.log(`docs/studio/${name}.png`);
}
await browser.close();
