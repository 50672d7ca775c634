import {
  expectedProbability,
  type Gaussian,
  GaussianEstimates,
  PRIORS,
  type Priors,
  sigmoid,
} from './gaussian-estimates.js';

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

interface Part {
  readonly estimates: GaussianEstimates;
  readonly place: number;
  /** Of the estimate of the logit. */
  readonly weight: number;
  /** Whether it drifts. */
  readonly ofStudent: boolean;
}

/**
 * Elo with uncertainty: ability less difficulty is the logit of a right answer. Each answer moves all estimates by an
 * extended Kalman step, the uncertain ones further. (Glickman 1999 for one ability and one difficulty; Pelánek
 * 2016 for Elo in education.)
 */
export class Rating {
  readonly #students: GaussianEstimates;
  readonly #studentSkills: GaussianEstimates;
  readonly #items: GaussianEstimates;
  readonly #skills: GaussianEstimates;

  constructor(private readonly priors: Priors = PRIORS) {
    this.#students = new GaussianEstimates(priors.student);
    this.#studentSkills = new GaussianEstimates(priors.studentSkill);
    this.#items = new GaussianEstimates(priors.item);
    this.#skills = new GaussianEstimates(priors.skill);
  }

  /** What is believed of an item before anybody answers it; no-op for an item that is known. */
  expectItem(item: string, { mean, variance }: Gaussian): void {
    this.#items.place(item, mean, variance);
  }

  logit(question: Question): LogitParts {
    let [student, studentSkill, skill, item, variance] = [0, 0, 0, 0, 0];
    for (const { estimates, place, weight } of this.#parts(question)) {
      const mean = weight * estimates.mean(place);
      variance += weight * weight * estimates.variance(place);
      if (estimates === this.#students) student += mean;
      else if (estimates === this.#studentSkills) studentSkill += mean;
      else if (estimates === this.#skills) skill += mean;
      else item += mean;
    }
    return { student, studentSkill, skill, item, variance };
  }

  probability(question: Question): number {
    const { student, studentSkill, skill, item, variance } = this.logit(question);
    return expectedProbability(student + studentSkill + skill + item, variance);
  }

  update(answer: Answer): void {
    const parts = this.#parts(answer);
    let [mean, variance] = [0, 0];
    for (const { estimates, place, weight, ofStudent } of parts) {
      if (ofStudent) estimates.set(place, estimates.mean(place), estimates.variance(place) + this.priors.drift);
      mean += weight * estimates.mean(place);
      variance += weight * weight * estimates.variance(place);
    }
    const expected = expectedProbability(mean, variance);
    const information = sigmoid(mean) * (1 - sigmoid(mean));
    const gain = 1 / (1 + variance * information);
    const surprise = (answer.correct ? 1 : 0) - expected;
    for (const { estimates, place, weight } of parts) {
      const own = estimates.variance(place);
      const shared = own * weight;
      estimates.set(
        place,
        estimates.mean(place) + shared * surprise * gain,
        own - shared * shared * information * gain,
      );
    }
  }

  /** What is known of a student in a skill, beside the student's general ability; null if there was no answer. */
  ability(student: string, skill: string): Gaussian | null {
    const own = this.#studentSkills.get(keyOf(student, skill));
    const general = this.#students.get(student);
    if (own === null || general === null) return null;
    return { mean: general.mean + own.mean, variance: general.variance + own.variance };
  }

  /** How easy an item is; null if it is unknown. */
  item(item: string): Gaussian | null {
    return this.#items.get(item);
  }

  /** How much easier than others questions of a skill are. */
  easiness(skill: string): Gaussian {
    return this.#skills.get(skill) ?? { mean: 0, variance: this.priors.skill };
  }

  #parts({ student, item, skills }: Question): readonly Part[] {
    const parts: Part[] = [
      { estimates: this.#students, place: this.#students.place(student), weight: 1, ofStudent: true },
      { estimates: this.#items, place: this.#items.place(item), weight: 1, ofStudent: false },
    ];
    const weight = 1 / skills.length;
    for (const skill of skills) {
      const own = this.#studentSkills.place(keyOf(student, skill));
      parts.push({ estimates: this.#studentSkills, place: own, weight, ofStudent: true });
      parts.push({ estimates: this.#skills, place: this.#skills.place(skill), weight, ofStudent: false });
    }
    return parts;
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

/** What is asked of a student. */
export type Question = Omit<Answer, 'correct'>;
