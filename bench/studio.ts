/**
 * How soon is the studio usable, and how soon does it show new results?
 *
 *     npm run bench -- studio [--cards 20000] [--keep FOLDER]
 *
 * Chromium, without and with a warm cache, opens the page of a gateway with `--cards` generated cards: the time from
 * the navigation until the search box accepts text. Then 100 changes of the text, each measured from the event in the
 * page to the frame after the results, including the 80 ms for which the page waits for more typing. `--keep` keeps the
 * cards in FOLDER for the next run.
 */
import { chromium, type Page } from 'playwright-core';
import { seededRandom } from '../src/evaluation/random.js';
import { loadCards, startBenchGateway } from './gateway.js';
import { latencies } from './measure.js';
import { notebook } from './notebook.js';
import { benchmark, range, readOptions } from './run.js';

const options = readOptions({ cards: 20_000, keep: null });
const CARDS = options.cards;
const VISITS = 10;
const CHANGES = 100;

/** In the page: from a change of the text to the frame after the results of just that text. In ms. */
const TYPE = `(async (text) => {
  const box = document.querySelector('#query');
  const found = document.querySelector('.found');
  const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set;
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const until = async (busy) => { while (found.getAttribute('aria-busy') !== busy) await new Promise((resolve) => setTimeout(resolve, 1)); };
  const begun = performance.now();
  set.call(box, text);
  box.dispatchEvent(new Event('input', { bubbles: true }));
  await until('true');
  await until('false');
  await frame();
  return performance.now() - begun;
})`;

async function openedMs(page: Page, url: string): Promise<number> {
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator('#query').waitFor();
  return Number(await page.evaluate('performance.now()'));
}

await benchmark(async (run) => {
  const gateway = await startBenchGateway(run, options.keep);
  const cards = notebook(CARDS);
  await loadCards(run, gateway, cards);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
  run.closers.add('browser', () => browser.close());
  const url = new URL('.', gateway.url).href;

  const [cold, warm]: [number[], number[]] = [[], []];
  for await (const _ of run.each('visits', 'visits', range(VISITS))) {
    const context = await browser.newContext();
    const page = await context.newPage();
    cold.push(await openedMs(page, url));
    warm.push(await openedMs(page, url));
    await context.close();
  }
  const page = await browser.newPage();
  await openedMs(page, url);
  const random = seededRandom(7);
  const typed: number[] = [];
  for await (const change of run.each('changes', 'changes', range(CHANGES))) {
    // The words of a card, one more with each change, as somebody types them.
    const { questionText = '' } = cards[Math.floor(random() * cards.length)] ?? {};
    const words = questionText.slice(0, 8 + (change % 10) * 4);
    typed.push(Number(await page.evaluate(`${TYPE}(${JSON.stringify(words)})`)));
  }
  run.report(`${CARDS} cards`, [
    { what: 'search box usable, first visit', ...latencies(cold) },
    { what: 'search box usable, later visits', ...latencies(warm) },
    { what: 'results repainted after a change of the text', ...latencies(typed) },
  ]);
});
