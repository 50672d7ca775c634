/**
 * Do FSRS parameters that are fitted to a student's own attempts predict reviews better than the defaults?
 *
 *     npm run bench -- schedule [--students 40] [--seed 1]
 *
 * Each simulated student remembers by parameters of their own (bench/reviewers.ts). The parameters fitted to the log
 * predict reviews of 200 other cards; the table has the expected log loss under the student's true probabilities.
 * `used`: what the gateway does, fitted parameters if they predict the held-out reviews of the log better, else the
 * defaults. `worse`: students whose fitted parameters were used and are worse than the defaults. `any gain`: students
 * for whom they would be used if any improvement sufficed. Students who match the defaults show the effect of chance.
 */
import { default_w } from 'ts-fsrs';
import { seededRandom } from '../src/evaluation/random.js';
import { mean } from '../src/evaluation/statistics.js';
import { fitSchedule } from '../src/fsrs/fit.js';
import { attemptsOf, expectedLogLoss, someParameters } from './reviewers.js';
import { benchmark, type Row, range, readOptions } from './run.js';

const options = readOptions({ students: 40, seed: 1 });

const DAYS = 200;
const FUTURE_CARDS = 200;
/** How much people differ, in the deviations of bench/reviewers.ts, and cards of the log. */
const GROUPS = [0, 0.5, 1].flatMap((spread) => [25, 50, 120, 300].map((cards) => ({ spread, cards })));

interface Outcome {
  readonly reviews: number;
  readonly byDefault: number;
  readonly fitted: number;
  readonly used: number;
  readonly isUsed: boolean;
  readonly isLower: boolean;
  readonly cpuMs: number;
}

async function outcomeOf(seed: number, spread: number, cards: number): Promise<Outcome> {
  const parameters = someParameters(seededRandom(seed), spread);
  const log = attemptsOf({ parameters, cards, days: DAYS, random: seededRandom(seed + 1) });
  const future = attemptsOf({ parameters, cards: FUTURE_CARDS, days: DAYS, random: seededRandom(seed + 2) });
  const began = process.cpuUsage();
  const fit = await fitSchedule([...log.keys()], 'UTC', async (step) => step(), 1);
  const { user } = process.cpuUsage(began);
  if (fit === null) throw new Error('a student without reviews');
  const [byDefault, fitted] = [expectedLogLoss(future, default_w), expectedLogLoss(future, fit.weights)];
  const { reviews, isUsed } = fit;
  const isLower = fit.logLoss < fit.defaultLogLoss;
  return { reviews, byDefault, fitted, used: isUsed ? fitted : byDefault, isUsed, isLower, cpuMs: user / 1_000 };
}

await benchmark(async (run) => {
  const rows: Row[] = [];
  const students = options.students;
  for (const { spread, cards } of GROUPS) {
    const outcomes: Outcome[] = [];
    for await (const student of run.each(`differing by ${spread}, ${cards} cards`, 'students', range(students))) {
      outcomes.push(await outcomeOf(10 * (1_000 * options.seed + student), spread, cards));
    }
    const meanOf = (figure: (outcome: Outcome) => number): number => mean(outcomes.map(figure));
    rows.push({
      'students differ by': spread,
      reviews: Math.round(meanOf(({ reviews }) => reviews)),
      default: meanOf(({ byDefault }) => byDefault).toFixed(4),
      fitted: meanOf(({ fitted }) => fitted).toFixed(4),
      used: meanOf(({ used }) => used).toFixed(4),
      'students used': outcomes.filter(({ isUsed }) => isUsed).length,
      worse: outcomes.filter(({ used, byDefault }) => used > byDefault).length,
      'any gain': outcomes.filter(({ isLower }) => isLower).length,
      'fit, ms of processor': Math.round(meanOf(({ cpuMs }) => cpuMs)),
    });
  }
  console.log(`${students} students in each row; expected log loss of reviews to come`);
  run.report('log loss by default and fitted', rows);
});
