/**
 * How much do the token counts of a context differ between models, and what does counting cost?
 *
 *     npm run bench -- tokens
 *
 * Counts each card of the sample notebook with the encodings of OpenAI's models. Budgets count tokens of o200k_base;
 * the printed factor is how many more another encoding needs. Also prints the time and memory that loading takes.
 */
import { perspectiveTexts } from '../src/domain/card.js';
import { languageOf } from '../src/tutoring/words.js';
import { sampleNotebook } from './card-files.js';

const { rss } = process.memoryUsage();
const started = performance.now();
const { loadTokenCounter } = await import('../src/tutoring/tokens.js');
const count = await loadTokenCounter();
const loadedMs = performance.now() - started;
const loadedMb = (process.memoryUsage().rss - rss) / 2 ** 20;
console.log(`loading o200k_base: ${loadedMs.toFixed(0)} ms, ${loadedMb.toFixed(0)} MB`);

const texts = (await sampleNotebook()).map((card) => Object.values(perspectiveTexts(card)).flat(2).join('\n'));
const others = {
  'cl100k_base (GPT-4)': (await import('gpt-tokenizer/encoding/cl100k_base')).countTokens,
  'r50k_base (GPT-2)': (await import('gpt-tokenizer/encoding/r50k_base')).countTokens,
} as const;
for (const [name, countOther] of Object.entries(others)) {
  for (const language of ['en', 'zh'] as const) {
    const own = texts.filter((text) => languageOf(text) === language);
    const factors = own.map((text) => countOther(text) / count(text)).sort((a, b) => a - b);
    const mean = factors.reduce((sum, factor) => sum + factor, 0) / factors.length;
    const most = factors.at(-1) ?? Number.NaN;
    console.log(
      `${name}, ${own.length} cards in ${language}: ${mean.toFixed(2)} times as many, at most ${most.toFixed(2)}`,
    );
  }
}
const long = texts.join('\n').slice(0, 6_000);
const began = performance.now();
for (let time = 0; time < 100; time += 1) count(long);
console.log(`counting ${count(long)} tokens: ${((performance.now() - began) / 100).toFixed(2)} ms`);
