/**
 * Can the difficulty of a card be estimated from its most similar cards?
 *
 *     npm run bench -- difficulty [CARDS.jsonl ...] [--asked 400] [--seed 1]
 *
 * Estimates the difficulty of graded cards, by default those of the sample notebook, from their neighbours' grades
 * alone, as `cardDifficulty` does if nobody has attempted the cards. `error`: mean distance from the actual grade;
 * `explained`: share of the variance. Compared with the mean of all cards, and the mean of the cards with the same
 * topic tags. Cards without neighbours are left out.
 */
import type { NewCard } from '../src/domain/card.js';
import { shuffled } from '../src/domain/shuffled.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { seededRandom } from '../src/evaluation/random.js';
import { mean } from '../src/evaluation/statistics.js';
import { DifficultyService } from '../src/practice/difficulty-service.js';
import { BUILTIN_SETTINGS } from '../src/search/profile.js';
import { cardsOf, sampleNotebook } from './card-files.js';
import { memoryEngine } from './memory-engine.js';
import { benchmark, type Row, readArguments } from './run.js';

const { files, options } = readArguments({ asked: 400, seed: 1 });

/** The mean grade of the other cards with one of its topics, as if three more had the mean of all. */
function byTopic(card: NewCard, cards: readonly NewCard[], usual: number): number {
  const others = cards.filter((other) => other !== card && other.topicTags.some((tag) => card.topicTags.includes(tag)));
  return (others.reduce((sum, { difficulty }) => sum + difficulty, 0) + 3 * usual) / (others.length + 3);
}

await benchmark(async (run) => {
  const rows: Row[] = [];
  for (const file of files.length === 0 ? [null] : files) {
    const cards = file === null ? await sampleNotebook() : await cardsOf(file);
    const engine = await memoryEngine(cards);
    const profile = { name: 'default', description: null, settings: BUILTIN_SETTINGS };
    const service = new DifficultyService({
      engine,
      profiles: { chosen: async () => profile },
      attempts: { log: async () => [] },
    });
    const usual = mean(cards.map(({ difficulty }) => difficulty));
    const order = shuffled(cards.length, seededRandom(options.seed)).slice(0, options.asked);
    const asked = order.map((place) => cards[place] as NewCard);
    const found: { readonly real: number; readonly by: readonly number[] }[] = [];
    for await (const card of run.each(file ?? 'sample notebook', 'cards', asked)) {
      const estimate = await service.difficulty(DEFAULT_VIEWER, card.id as string, run.signal);
      if (estimate !== null)
        found.push({ real: card.difficulty, by: [usual, byTopic(card, cards, usual), estimate.estimate] });
    }
    for (const [way, name] of ['mean of all', 'its topics', 'its neighbours'].entries()) {
      const off = found.map(({ real, by }) => real - (by[way] as number));
      const variance = mean(found.map(({ real }) => (real - usual) ** 2));
      rows.push({
        cards: file?.split('/').at(-1) ?? 'sample',
        asked: found.length,
        'estimated by': name,
        error: mean(off.map(Math.abs)).toFixed(3),
        explained: (1 - mean(off.map((one) => one ** 2)) / variance).toFixed(3),
      });
    }
  }
  run.report('difficulty by neighbours', rows);
});
