import { sigmoid } from './gaussian.js';
import { HISTORY_WIDTH, History, RECENT, RECENT_IN_SKILLS } from './history.js';
import { type Answer, type Question, Rating } from './rating.js';

/** Features of the rating: its parts, their sum as a mean logit, its products with what is uncertain. */
const RATING_WIDTH = 8;
/** Products of the rating and of recent success. */
const PRODUCTS = 4;
export const FEATURES = RATING_WIDTH + HISTORY_WIDTH + PRODUCTS;

/** A linear model of logits: one weight a feature, and the constant last. */
export type Weights = readonly number[];

/** Predicts answers: the rating and the history of a student, weighed by logistic regression. */
export class Tracer {
  readonly #features = new Float64Array(FEATURES);
  readonly #history = new History();

  constructor(
    private readonly weights: Weights,
    readonly rating: Rating = new Rating(),
  ) {}

  probability(question: Question): number {
    this.features(question, this.#features, 0);
    return sigmoid(logitOf(this.weights, this.#features, 0));
  }

  /** Writes {@link FEATURES} features into `into`, from `at` on. */
  features(question: Question, into: Float64Array, at: number): void {
    const { student, studentSkill, skill, item, variance } = this.rating.logit(question);
    const sum = student + studentSkill + skill + item;
    const certain = sum / Math.sqrt(1 + (Math.PI * variance) / 8);
    into.set(
      [student, studentSkill, skill, item, certain, certain * certain, certain * Math.abs(certain), variance],
      at,
    );
    this.#history.features(question, into, at + RATING_WIDTH);
    const recent = into[at + RATING_WIDTH + RECENT] as number;
    const inSkills = into[at + RATING_WIDTH + RECENT_IN_SKILLS] as number;
    const products = [certain * recent, certain * inSkills, recent * inSkills, (skill + item) * recent];
    into.set(products, at + RATING_WIDTH + HISTORY_WIDTH);
  }

  update(answer: Answer): void {
    this.rating.update(answer);
    this.#history.update(answer);
  }
}

export function logitOf(weights: Weights, features: Float64Array, at: number): number {
  const width = weights.length - 1;
  let logit = weights[width] as number;
  for (let f = 0; f < width; f += 1) logit += (weights[f] as number) * (features[at + f] as number);
  return logit;
}
