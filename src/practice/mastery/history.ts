import type { Answer, Question } from './rating.js';

/** What a student's answers to one thing were: a skill, an item, or everything. */
interface Record {
  right: number;
  wrong: number;
  /** Right answers, and all, where each counts less than the next one. */
  readonly recent: Float64Array;
  /** +: right answers in a row; -: wrong ones. */
  streak: number;
  lastMs: number;
  /**
   * The last answers, up to three: 0 none, 1 and 2 one of them, 3 to 6 two, 7 to 14 three; the last one in the lowest
   * bit.
   */
  pattern: number;
}

/** By how much an answer counts less than the next one: the last few, and the last dozens. */
const DECAYS = [0.6, 0.9] as const;

/** Patterns of up to three answers, without that of none. */
const PATTERNS = 14;
/** Features of a record. */
const WIDTH = 5 + 2 * DECAYS.length + PATTERNS;
/** Of everything, the skills, the item. */
export const HISTORY_WIDTH = 3 * WIDTH;
/** The recent success in everything and in the skills: where {@link History.features} writes them. */
export const [RECENT, RECENT_IN_SKILLS] = [7, WIDTH + 5] as const;

const EMPTY: Readonly<Record> = newRecord();

function newRecord(): Record {
  return { right: 0, wrong: 0, recent: new Float64Array(2 * DECAYS.length), streak: 0, lastMs: Number.NaN, pattern: 0 };
}

/**
 * What students have answered so far, as features: counts, recent success, streaks and pauses (PFA, best-LR, DAS3H).
 */
export class History {
  readonly #records = new Map<string, Record>();

  /** Writes {@link HISTORY_WIDTH} features into `into`, from `at` on. The skills of a question are averaged. */
  features({ student, item, skills, atMs }: Question, into: Float64Array, at: number): void {
    into.fill(0, at, at + HISTORY_WIDTH);
    write(this.#records.get(student) ?? EMPTY, atMs, into, at, 1);
    for (const skill of skills) {
      write(this.#records.get(keyOf(student, 's', skill)) ?? EMPTY, atMs, into, at + WIDTH, 1 / skills.length);
    }
    write(this.#records.get(keyOf(student, 'i', item)) ?? EMPTY, atMs, into, at + 2 * WIDTH, 1);
  }

  update({ student, item, skills, atMs, correct }: Answer): void {
    for (const key of [student, ...skills.map((skill) => keyOf(student, 's', skill)), keyOf(student, 'i', item)]) {
      const record = this.#records.get(key) ?? newRecord();
      this.#records.set(key, record);
      if (correct) record.right += 1;
      else record.wrong += 1;
      for (const [place, decay] of DECAYS.entries()) {
        record.recent[2 * place] = decay * (record.recent[2 * place] as number) + (correct ? 1 : 0);
        record.recent[2 * place + 1] = decay * (record.recent[2 * place + 1] as number) + 1;
      }
      record.streak = correct ? Math.max(1, record.streak + 1) : Math.min(-1, record.streak - 1);
      record.lastMs = atMs;
      const longer = 2 * record.pattern + (correct ? 2 : 1);
      record.pattern = longer > PATTERNS ? 7 + ((longer - 7) % 8) : longer;
    }
  }
}

/** Adds a record's features to those there are. */
function write(record: Readonly<Record>, atMs: number, into: Float64Array, at: number, weight: number): void {
  const { right, wrong, recent, streak, lastMs, pattern } = record;
  const add = (place: number, value: number): void => {
    into[at + place] = (into[at + place] as number) + weight * value;
  };
  add(0, Math.log1p(right));
  add(1, Math.log1p(wrong));
  add(2, right + wrong === 0 ? 1 : 0);
  add(3, Math.sign(streak) * Math.log1p(Math.abs(streak)));
  add(4, Number.isNaN(lastMs) ? 0 : Math.log1p(Math.max(0, atMs - lastMs) / 60_000));
  for (let place = 0; place < DECAYS.length; place += 1) {
    const weightOf = recent[2 * place + 1] as number;
    // One answer that was right half of the time is added, so that a single one is no certainty.
    const rate = ((recent[2 * place] as number) + 0.5) / (weightOf + 1) - 0.5;
    add(5 + 2 * place, rate);
    add(6 + 2 * place, rate * Math.log1p(right + wrong));
  }
  if (pattern > 0) add(4 + 2 * DECAYS.length + pattern, 1);
}

function keyOf(student: string, kind: string, name: string): string {
  return `${student}\u0001${kind}\u0001${name}`;
}
