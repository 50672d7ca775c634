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

/** GaussianEstimates by key. A key that was never updated has the prior. */
export class GaussianEstimates {
  readonly #places = new Map<string, number>();
  #means = new Float64Array(64);
  #variances = new Float64Array(64);

  constructor(private readonly prior: number) {}

  /** The number of a key, by which its estimate is read and written. */
  place(key: string, mean = 0, variance = this.prior): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.#places.size;
    if (place === this.#means.length) {
      this.#means = grown(this.#means);
      this.#variances = grown(this.#variances);
    }
    this.#means[place] = mean;
    this.#variances[place] = variance;
    this.#places.set(key, place);
    return place;
  }

  mean(place: number): number {
    return this.#means[place] as number;
  }

  variance(place: number): number {
    return this.#variances[place] as number;
  }

  set(place: number, mean: number, variance: number): void {
    this.#means[place] = mean;
    this.#variances[place] = variance;
  }

  get(key: string): Gaussian | null {
    const place = this.#places.get(key);
    return place === undefined ? null : { mean: this.mean(place), variance: this.variance(place) };
  }
}

function grown(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * values.length);
  larger.set(values);
  return larger;
}

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** The probability whose logit is normal (MacKay 1992): what is not known for certain is nearer to one half. */
export function expectedProbability(mean: number, variance: number): number {
  return sigmoid(mean / Math.sqrt(1 + (Math.PI * variance) / 8));
}
