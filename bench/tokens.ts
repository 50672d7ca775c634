/**
 * How much do the token counts of a context differ between models, and what does counting cost?
 *
 *     npm run bench -- tokens
 *
 * Counts each card of the sample notebook with the encodings of OpenAI's models. Budgets count tokens of o200k_base;
 * the printed factor is how many more another encoding needs. Also prints the time and memory that loading takes.
 */
import { perspectiveTexts } from '../src/domain/card.js';
import { mean } from '../src/evaluation/statistics.js';
import { loadTokenCounter } from '../src/tutoring/tokens.js';
import { languageOf } from '../src/tutoring/words.js';
import { sampleNotebook } from './card-files.js';
import { benchmark, type Row, readOptions } from './run.js';

readOptions({});
await benchmark(async (run) => {
  const { rss } = process.memoryUsage();
  const started = performance.now();
  const count = await loadTokenCounter();
  const loadedMs = performance.now() - started;
  const loadedMb = (process.memoryUsage().rss - rss) / 2 ** 20;
  const texts = (await sampleNotebook()).map((card) => Object.values(perspectiveTexts(card)).flat(2).join('\n'));
  const long = texts.join('\n').slice(0, 6_000);
  const began = performance.now();
  for (let time = 0; time < 100; time += 1) count(long);
  const countedMs = (performance.now() - began) / 100;
  run.report('o200k_base', [
    { 'loaded, ms': loadedMs, 'memory, MB': loadedMb, tokens: count(long), 'counted, ms': countedMs },
  ]);
  const others = {
    'cl100k_base (GPT-4)': (await import('gpt-tokenizer/encoding/cl100k_base')).countTokens,
    'r50k_base (GPT-2)': (await import('gpt-tokenizer/encoding/r50k_base')).countTokens,
  } as const;
  const rows = Object.entries(others).flatMap(([encoding, countOther]) =>
    (['en', 'zh'] as const).map((language): Row => {
      const own = texts.filter((text) => languageOf(text) === language);
      const factors = own.map((text) => countOther(text) / count(text));
      return { encoding, language, cards: own.length, 'times as many': mean(factors), most: Math.max(...factors) };
    }),
  );
  run.report('other encodings', rows);
});
