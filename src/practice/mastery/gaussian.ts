/** How far an ability or a difficulty is known: a normal distribution on the scale of logits. */
export interface Gaussian {
  readonly mean: number;
  readonly variance: number;
}

/** 95 % of a normal distribution are within so many standard deviations. */
export const Z_95 = 1.96;

/** What the estimates of each kind of parameter begin with, and how fast they become uncertain again. */
export interface Priors {
  /** Variance before the first answer. */
  readonly student: number;
  readonly studentSkill: number;
  readonly item: number;
  readonly skill: number;
  /** Added to the variance of a student's estimates with each answer: students learn and forget. */
  readonly drift: number;
}

/** Chosen by `npm run bench -- mastery` on simulated students, as the weights. */
export const PRIORS: Priors = { student: 0.5, studentSkill: 0.3, item: 0.8, skill: 0.8, drift: 0.0025 };

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** The probability whose logit is normal (MacKay 1992): what is not known for certain is nearer to one half. */
export function expectedProbability(mean: number, variance: number): number {
  return sigmoid(mean / Math.sqrt(1 + (Math.PI * variance) / 8));
}
