import { expectedProbability, type Gaussian, PRIORS, type Priors, sigmoid } from './gaussian.js';

/**
 * The parts of a logit: the student's ability, the same in the skills of the question, their difficulty and that of the
 * item.
 */
export interface LogitParts {
  readonly student: number;
  readonly studentSkill: number;
  readonly skill: number;
  readonly item: number;
  /** Of their sum. */
  readonly variance: number;
}

/** A part of the logit by its own name. */
type Kind = Exclude<keyof LogitParts, 'variance'>;

/** As answers change it. */
type Estimate = { -readonly [Key in keyof Gaussian]: Gaussian[Key] };

interface Part {
  readonly kind: Kind;
  readonly estimate: Estimate;
  /** Of the estimate in the logit. */
  readonly weight: number;
}

/**
 * Elo with uncertainty: ability less difficulty is the logit of a right answer. Each answer moves all estimates by an
 * extended Kalman step, the uncertain ones further. (Glickman 1999 for one ability and one difficulty; Pelánek
 * 2016 for Elo in education.)
 */
export class Rating {
  readonly #estimates: Readonly<Record<Kind, Map<string, Estimate>>> = {
    student: new Map(),
    studentSkill: new Map(),
    skill: new Map(),
    item: new Map(),
  };

  constructor(private readonly priors: Priors = PRIORS) {}

  /** What is believed of an item before anybody answers it; no-op for an item that is known. */
  expectItem(item: string, expected: Gaussian): void {
    this.#estimate('item', item, expected);
  }

  logit(question: Question): LogitParts {
    const logit = { student: 0, studentSkill: 0, skill: 0, item: 0, variance: 0 };
    for (const { kind, estimate, weight } of this.#parts(question)) {
      logit[kind] += weight * estimate.mean;
      logit.variance += weight * weight * estimate.variance;
    }
    return logit;
  }

  probability(question: Question): number {
    const { student, studentSkill, skill, item, variance } = this.logit(question);
    return expectedProbability(student + studentSkill + skill + item, variance);
  }

  update(answer: Answer): void {
    const parts = this.#parts(answer);
    let [mean, variance] = [0, 0];
    for (const { kind, estimate, weight } of parts) {
      if (kind === 'student' || kind === 'studentSkill') estimate.variance += this.priors.drift;
      mean += weight * estimate.mean;
      variance += weight * weight * estimate.variance;
    }
    const expected = expectedProbability(mean, variance);
    const information = sigmoid(mean) * (1 - sigmoid(mean));
    const gain = 1 / (1 + variance * information);
    const surprise = (answer.correct ? 1 : 0) - expected;
    for (const { estimate, weight } of parts) {
      const shared = estimate.variance * weight;
      estimate.mean += shared * surprise * gain;
      estimate.variance -= shared * shared * information * gain;
    }
  }

  /** What is known of a student in a skill, beside the student's general ability; null if there was no answer. */
  ability(student: string, skill: string): Gaussian | null {
    const own = this.#estimates.studentSkill.get(keyOf(student, skill));
    const general = this.#estimates.student.get(student);
    if (own === undefined || general === undefined) return null;
    return { mean: general.mean + own.mean, variance: general.variance + own.variance };
  }

  /** How easy an item is; null if it is unknown. */
  item(item: string): Gaussian | null {
    return this.#estimates.item.get(item) ?? null;
  }

  /** How much easier than others questions of a skill are. */
  easiness(skill: string): Gaussian {
    return this.#estimates.skill.get(skill) ?? { mean: 0, variance: this.priors.skill };
  }

  #parts({ student, item, skills }: Question): readonly Part[] {
    const weight = 1 / skills.length;
    return [
      { kind: 'student', estimate: this.#estimate('student', student), weight: 1 },
      { kind: 'item', estimate: this.#estimate('item', item), weight: 1 },
      ...skills.flatMap((skill): Part[] => [
        { kind: 'studentSkill', estimate: this.#estimate('studentSkill', keyOf(student, skill)), weight },
        { kind: 'skill', estimate: this.#estimate('skill', skill), weight },
      ]),
    ];
  }

  /** The estimate of a key; that of a new one is `expected`, else the prior. */
  #estimate(kind: Kind, key: string, expected: Gaussian = { mean: 0, variance: this.priors[kind] }): Estimate {
    const estimate = this.#estimates[kind].get(key) ?? { ...expected };
    this.#estimates[kind].set(key, estimate);
    return estimate;
  }
}

function keyOf(student: string, skill: string): string {
  return `${student}\u0001${skill}`;
}

/** One answer of one student, as knowledge tracing sees it. */
export interface Answer {
  readonly student: string;
  readonly item: string;
  /** Topics, errors, knowledge components; may be empty. */
  readonly skills: readonly string[];
  readonly atMs: number;
  readonly correct: boolean;
}

export type Question = Omit<Answer, 'correct'>;
