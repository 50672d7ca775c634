/** What the journeys of the studio share: where they go, in which language, on which device. */
import type { Browser, Locator, Page } from 'playwright-core';
import { TestRunner } from 'vitest';
import { en } from '../../../studio/messages/en/index.js';
import { zh } from '../../../studio/messages/zh/index.js';
import { type Messages, openStudio, type StudioPage } from '../../support/browser.js';

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } } as const;
const LANGUAGES = [
  { language: 'en', locale: 'en-US', messages: en as Messages },
  { language: 'zh-CN', locale: 'zh-CN', messages: zh as Messages },
] as const;

export interface Way {
  readonly language: string;
  readonly locale: string;
  readonly messages: Messages;
  readonly device: keyof typeof SIZES;
}

/** Every journey goes each of these ways. */
export const WAYS: readonly (readonly [string, Way])[] = LANGUAGES.flatMap((one) =>
  (['desktop', 'phone'] as const).map((device) => [`in ${one.language} on a ${device}`, { ...one, device }] as const),
);

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

  async visit(browser: Browser, graphqlUrl: string, address = '/'): Promise<Page> {
    const { origin } = new URL(graphqlUrl);
    const { locale, device } = this.way;
    this.#open = await openStudio(browser, origin, { locale, viewport: SIZES[device], hasTouch: this.phone });
    await this.#open.page.goto(`${origin}${address}`);
    return this.#open.page;
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
