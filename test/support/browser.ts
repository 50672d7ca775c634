import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { en } from '../../studio/messages/en/index.js';

/** The headless shell, where it is installed, takes the least time (`scripts/install-chromium.mjs`). */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
];

/** The browser for the tests of the studio; null if there is none. */
export const browserPath: string | null =
  process.env.CHROMIUM_PATH || (PLACES.find((path) => existsSync(path)) ?? null);

if (browserPath === null) {
  process.stderr.write(
    '\nTHE BROWSER TESTS OF THE STUDIO ARE SKIPPED: there is no Chromium. Install it (`apt-get install chromium`) or set CHROMIUM_PATH.\n\n',
  );
}

/** Nothing that a browser does by itself shall reach the network. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launchBrowser(): Promise<Browser> {
  if (browserPath === null) throw new Error('there is no browser');
  return chromium.launch({ executablePath: browserPath, args: ARGUMENTS });
}

export type Messages = Readonly<Record<keyof typeof en, string>>;

/** A page of the studio, with everything that it did wrong. */
export interface StudioPage {
  readonly page: Page;
  /** Requests to elsewhere, violations of the policy, errors of the page. */
  readonly violations: readonly string[];
  close(): Promise<void>;
}

/** Opens the studio with every other origin blocked. */
export async function openStudio(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions,
): Promise<StudioPage> {
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  const violations: string[] = [];
  await context.route(
    (url) => url.origin !== origin && url.protocol !== 'blob:' && url.protocol !== 'data:',
    (route) => {
      violations.push(`asked for ${route.request().url()}`);
      return route.abort();
    },
  );
  await context.exposeFunction('reportViolation', (text: string) => void violations.push(text));
  // As text: there are no types of the DOM here.
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => reportViolation('violated ' + event.violatedDirective + ': ' + event.blockedURI))`,
  );
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on('pageerror', (error) => violations.push(`failed: ${error.message}`));
  page.on('dialog', (dialog) => {
    violations.push(`opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const close = async (): Promise<void> => {
    // A page that asks again and again may be left while a test's handler reads the answer.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  };
  return { page, violations, close };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Fails on what keeps people with impairments out, by axe, serious or worse. */
export async function expectAccessible(page: Page): Promise<void> {
  // Formulas and other late parts of the page are there.
  await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => undefined);
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(): Promise<{
          violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
        }>;
      };
    };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map(({ html, failureSummary }) => `${html} (${failureSummary})`)
            .join(' | ')}`,
      );
  });
  expect(found).toEqual([]);
}

/** What becomes so while a page and a gateway on a busy machine work. */
export function soon<Value>(ask: () => Value | Promise<Value>) {
  return expect.poll(ask, { timeout: 30_000 });
}
