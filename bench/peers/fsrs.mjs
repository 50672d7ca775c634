/**
 * Do eight parameters of FSRS that Errata fits predict reviews as well as all 21 by the optimiser of Anki?
 *
 *     cd bench/peers && npm install && node fsrs.mjs [--students 30] [--seed 1]
 *
 * Both are fitted to the earliest three quarters of the same log of a simulated student (bench/reviewers.ts). The
 * figures are the log loss that is to be expected on reviews of 200 other cards, and the time of a fit.
 */
import { parseArgs } from 'node:util';
import { computeParameters, FSRSBindingItem, FSRSBindingReview } from '@open-spaced-repetition/binding';
import { default_w } from 'ts-fsrs';
import { attemptsOf, expectedLogLoss, someParameters } from '../../dist/bench/reviewers.js';
import { benchmark, range } from '../../dist/bench/run.js';
import { atOnce } from '../../dist/src/domain/steps.js';
import { seededRandom } from '../../dist/src/evaluation/random.js';
import { mean } from '../../dist/src/evaluation/statistics.js';
import { fitSchedule } from '../../dist/src/fsrs/fit.js';
import { historySteps } from '../../dist/src/fsrs/memory.js';

const { values: options } = parseArgs({
  options: { students: { type: 'string', default: '30' }, seed: { type: 'string', default: '1' } },
});

/** Each review with those before it at the same card, up to the last one that is fitted to. */
function itemsOf(log) {
  const histories = atOnce(historySteps(log, 'UTC'));
  const times = histories.flatMap((steps) => steps.filter(({ days }) => days > 0).map(({ atMs }) => atMs));
  const splitMs = times.sort((a, b) => a - b)[Math.floor(0.75 * times.length)];
  return histories.flatMap((steps) => {
    const reviews = steps.map(({ grade, days }) => new FSRSBindingReview(grade, days));
    const isFitted = ({ days, atMs }) => days > 0 && atMs < splitMs;
    return steps.flatMap((step, place) => (isFitted(step) ? [new FSRSBindingItem(reviews.slice(0, place + 1))] : []));
  });
}

async function timed(work) {
  const began = performance.now();
  return [await work(), performance.now() - began];
}

await benchmark(async (run) => {
  const rows = [];
  for (const cards of [25, 50, 120, 300]) {
    const outcomes = [];
    for await (const student of run.each(`${cards} cards`, 'students', range(Number(options.students)))) {
      const seed = 10 * (1_000 * Number(options.seed) + student);
      const parameters = someParameters(seededRandom(seed), 1);
      const attempts = (count, other) =>
        attemptsOf({ parameters, cards: count, days: 200, random: seededRandom(other) });
      const log = [...attempts(cards, seed + 1).keys()];
      const future = attempts(200, seed + 2);
      const [ours, oursMs] = await timed(() => fitSchedule(log, 'UTC', async (step) => step(), 1));
      const training = { enableShortTerm: true, numRelearningSteps: 1 };
      const [theirs, theirsMs] = await timed(() => computeParameters(itemsOf(log), training));
      const [byDefault, own, peer] = [default_w, ours.weights, theirs].map((one) => expectedLogLoss(future, one));
      outcomes.push({ reviews: ours.reviews, byDefault, own, oursMs, peer, theirsMs });
    }
    const meanOf = (name) => mean(outcomes.map((outcome) => outcome[name]));
    rows.push({
      reviews: Math.round(meanOf('reviews')),
      default: meanOf('byDefault').toFixed(4),
      Errata: meanOf('own').toFixed(4),
      'Errata, ms': Math.round(meanOf('oursMs')),
      'Anki (fsrs-rs)': meanOf('peer').toFixed(4),
      'Anki, ms': Math.round(meanOf('theirsMs')),
    });
  }
  run.report('log loss of two optimisers', rows);
});
