/** What the journeys of the studio share: where they go, in which language, on which device. */
import type { JWTPayload } from 'jose';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, TestRunner } from 'vitest';
import type { Language } from '../../../studio/app/wording.js';
import { en } from '../../../studio/messages/en/index.js';
import { zh } from '../../../studio/messages/zh/index.js';
import { browserPath, launchBrowser, type Messages, openStudio, type StudioPage } from '../../support/browser.js';
import { type Gateway, startGateway } from '../../support/gateway.js';
import { indexed } from '../../support/notebook.js';
import { tokenOf } from '../../support/tokens.js';

/** A black image of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } } as const;
const LANGUAGES = [
  { language: 'en', locale: 'en-US', messages: en as Messages },
  { language: 'zh-CN', locale: 'zh-CN', messages: zh as Messages },
] as const;

export interface Way {
  readonly language: Language;
  readonly locale: string;
  readonly messages: Messages;
  readonly device: keyof typeof SIZES;
}

/** Every journey goes each of these ways. */
export const WAYS: readonly (readonly [string, Way])[] = LANGUAGES.flatMap((one) =>
  (['desktop', 'phone'] as const).map((device) => [`in ${one.language} on a ${device}`, { ...one, device }] as const),
);

export interface Studio {
  readonly browser: Browser;
  readonly gateway: Gateway;
}

/** A gateway with the sample notebook that logs searches. */
export const SAMPLE = { SEED_SAMPLE: 'true', SEARCH_LOG: 'texts' };

/** Starts a browser and a gateway with these settings for the tests of a file, and closes them after it. */
export function studioOf(env: Readonly<Record<string, string>>): Studio {
  const studio: { -readonly [K in keyof Studio]?: Studio[K] } = {};
  beforeAll(async () => {
    if (browserPath === null) return;
    studio.browser = await launchBrowser();
    studio.gateway = await startGateway({ env });
    await studio.gateway.ready();
    if (env.SEED_SAMPLE === 'true') await indexed(studio.gateway);
  });
  afterAll(async () => {
    await studio.browser?.close();
    await studio.gateway?.close();
  });
  return studio as Studio;
}

/** The box that selects a card of the list. */
export function selectBox(page: Page, id: string): Locator {
  return page.locator('.card-row', { has: page.locator(`[href="#/cards/${id}"]`) }).getByRole('checkbox');
}

/** Both in one task: the page writes the address of the search later. */
export const typeAndLeave = (page: Page): Promise<unknown> =>
  page.evaluate(`{
    const query = document.getElementById('query');
    query.value = '解不等式';
    query.dispatchEvent(new Event('input', { bubbles: true }));
    location.hash = '#/cards';
  }`);

export class Visitor {
  /** What makes the things of this way different from those of the others. */
  readonly mark: string;
  readonly phone: boolean;
  #open: StudioPage | undefined;

  constructor(private readonly way: Way) {
    this.mark = `${way.language}-${way.device}`;
    this.phone = way.device === 'phone';
  }

  name(key: keyof Messages): string {
    return this.way.messages[key];
  }

  async visit({ browser, gateway }: Studio, address = '/', options: BrowserContextOptions = {}): Promise<Page> {
    const { origin } = new URL(gateway.url);
    const { locale, device } = this.way;
    const way = { locale, viewport: SIZES[device], hasTouch: this.phone };
    this.#open = await openStudio(browser, origin, { ...way, ...options });
    await this.#open.page.goto(`${origin}${address}`);
    return this.#open.page;
  }

  async signIn(studio: Studio, claims: JWTPayload, address: string, options?: BrowserContextOptions): Promise<Page> {
    const page = await this.visit(studio, address, options);
    await page.getByLabel(this.name('signIn.credential')).fill(await tokenOf(claims));
    await page.keyboard.press('Enter');
    await page.locator('.shell').waitFor();
    return page;
  }

  /** Ends the visit; answers what the page did that it must not. After a failure it prints what the page shows. */
  async leave(): Promise<readonly string[]> {
    const violations = this.#open?.violations ?? [];
    if (TestRunner.getCurrentTest()?.result?.state === 'fail') {
      process.stderr.write(`${await this.#open?.page.innerText('body').catch(String)}\n`);
    }
    await this.#open?.close();
    this.#open = undefined;
    return violations;
  }

  /** Types, and waits for the hits of just that. */
  async search(page: Page, text: string): Promise<Locator> {
    await page.getByLabel(this.name('search.query'), { exact: true }).first().fill(text);
    await page.locator('.hits .hit').first().waitFor();
    await page.locator('.found[aria-busy=false]').waitFor();
    return page.locator('.hits .hit');
  }

  /** On a phone the panels are behind buttons. */
  async openPanel(page: Page, key: 'tuning.title' | 'filter.title'): Promise<void> {
    if (this.phone) await page.getByRole('button', { name: this.name(key), exact: true }).click();
  }
}
