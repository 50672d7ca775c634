import { PRIORS, type Priors } from '../src/practice/mastery/gaussian.js';
import { type Answer, Rating } from '../src/practice/mastery/rating.js';
import { FEATURES, Tracer, type Weights } from '../src/practice/mastery/tracer.js';
import { fitLogistic } from './logistic-regression.js';

/**
 * Parts of the students, each of which meets items that the others have rated: as students do whom the model has never
 * seen.
 */
const FOLDS = 5;

const PENALTY = 10;

export interface Model {
  readonly priors: Priors;
  readonly weights: Weights;
}

/** Priors and weights. Answers are in order of time. */
export function trainModel(answers: readonly Answer[]): Model {
  const priors = fitPriors(answers);
  return { priors, weights: trainWeights(answers, priors) };
}

/** Rounds of {@link fitPriors}: after two of them nothing changes by more than .0005. */
const ROUNDS = 2;

/**
 * The priors by which the rating alone predicts each answer from those before it best: each in turn halved or doubled.
 */
function fitPriors(answers: readonly Answer[]): Priors {
  let best = PRIORS;
  let least = lossOf(answers, best);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of Object.keys(PRIORS) as (keyof Priors)[]) {
      for (const factor of [2, 0.5]) {
        const tried = { ...best, [name]: factor * best[name] };
        const loss = lossOf(answers, tried);
        if (loss >= least) continue;
        [best, least] = [tried, loss];
        break;
      }
    }
  }
  return best;
}

function lossOf(answers: readonly Answer[], priors: Priors): number {
  const rating = new Rating(priors);
  let loss = 0;
  for (const answer of answers) {
    const p = rating.probability(answer);
    loss -= Math.log(answer.correct ? p : 1 - p);
    rating.update(answer);
  }
  return loss;
}

/**
 * The weights by which answers of students whom the model has not seen are predicted best. Answers are in order of
 * time. Each fifth of the students meets difficulties that were learnt from the others: learnt from the same students,
 * they would seem to be better known than they are.
 */
export function trainWeights(answers: readonly Answer[], priors: Priors = PRIORS): Weights {
  const folds = foldsOf(answers);
  const features = new Float64Array(answers.length * FEATURES);
  const labels = new Uint8Array(answers.length);
  let row = 0;
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const rating = new Rating(priors);
    for (const answer of answers) if (folds.get(answer.student) !== fold) rating.update(answer);
    const tracer = new Tracer([], rating);
    for (const answer of answers) {
      if (folds.get(answer.student) !== fold) continue;
      tracer.features(answer, features, row * FEATURES);
      labels[row] = answer.correct ? 1 : 0;
      tracer.update(answer);
      row += 1;
    }
  }
  return fitLogistic({ width: FEATURES, features, labels }, PENALTY);
}

/** Students in turn, in the order of their first answers. */
function foldsOf(answers: readonly Answer[]): ReadonlyMap<string, number> {
  const folds = new Map<string, number>();
  for (const { student } of answers) if (!folds.has(student)) folds.set(student, folds.size % FOLDS);
  return folds;
}
