import type { Answer, Question } from './answer.js';
import { type Belief, Beliefs, expectedProbability, PRIORS, type Priors, sigmoid } from './beliefs.js';

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
  readonly beliefs: Beliefs;
  readonly place: number;
  /** Of the belief in the logit. */
  readonly weight: number;
  /** Whether it drifts. */
  readonly ofStudent: boolean;
}

/**
 * Elo with uncertainty: ability less difficulty is the logit of a right answer. Each answer moves all beliefs about it
 * by an extended Kalman step, the uncertain ones further. (Glickman 1999 for one ability and one difficulty; Pelánek
 * 2016 for Elo in education.)
 */
export class Rating {
  readonly #students: Beliefs;
  readonly #studentSkills: Beliefs;
  readonly #items: Beliefs;
  readonly #skills: Beliefs;

  constructor(private readonly priors: Priors = PRIORS) {
    this.#students = new Beliefs(priors.student);
    this.#studentSkills = new Beliefs(priors.studentSkill);
    this.#items = new Beliefs(priors.item);
    this.#skills = new Beliefs(priors.skill);
  }

  /** What is believed of an item before anybody answers it; no-op for an item that is known. */
  expectItem(item: string, { mean, variance }: Belief): void {
    this.#items.place(item, mean, variance);
  }

  logit(question: Question): LogitParts {
    let [student, studentSkill, skill, item, variance] = [0, 0, 0, 0, 0];
    for (const { beliefs, place, weight } of this.#parts(question)) {
      const mean = weight * beliefs.mean(place);
      variance += weight * weight * beliefs.variance(place);
      if (beliefs === this.#students) student += mean;
      else if (beliefs === this.#studentSkills) studentSkill += mean;
      else if (beliefs === this.#skills) skill += mean;
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
    for (const { beliefs, place, weight, ofStudent } of parts) {
      if (ofStudent) beliefs.set(place, beliefs.mean(place), beliefs.variance(place) + this.priors.drift);
      mean += weight * beliefs.mean(place);
      variance += weight * weight * beliefs.variance(place);
    }
    const expected = expectedProbability(mean, variance);
    const information = sigmoid(mean) * (1 - sigmoid(mean));
    const gain = 1 / (1 + variance * information);
    const surprise = (answer.correct ? 1 : 0) - expected;
    for (const { beliefs, place, weight } of parts) {
      const own = beliefs.variance(place);
      const shared = own * weight;
      beliefs.set(place, beliefs.mean(place) + shared * surprise * gain, own - shared * shared * information * gain);
    }
  }

  /** What is known of a student in a skill, beside the student's general ability; null where there was no answer. */
  ability(student: string, skill: string): Belief | null {
    const own = this.#studentSkills.get(keyOf(student, skill));
    const general = this.#students.get(student);
    if (own === null || general === null) return null;
    return { mean: general.mean + own.mean, variance: general.variance + own.variance };
  }

  /** How easy an item is; null if it is unknown. */
  item(item: string): Belief | null {
    return this.#items.get(item);
  }

  /** How much easier than others questions of a skill are. */
  easiness(skill: string): Belief {
    return this.#skills.get(skill) ?? { mean: 0, variance: this.priors.skill };
  }

  #parts({ student, item, skills }: Question): readonly Part[] {
    const parts: Part[] = [
      { beliefs: this.#students, place: this.#students.place(student), weight: 1, ofStudent: true },
      { beliefs: this.#items, place: this.#items.place(item), weight: 1, ofStudent: false },
    ];
    const weight = 1 / skills.length;
    for (const skill of skills) {
      const own = this.#studentSkills.place(keyOf(student, skill));
      parts.push({ beliefs: this.#studentSkills, place: own, weight, ofStudent: true });
      parts.push({ beliefs: this.#skills, place: this.#skills.place(skill), weight, ofStudent: false });
    }
    return parts;
  }
}

function keyOf(student: string, skill: string): string {
  return `${student}\u0001${skill}`;
}
