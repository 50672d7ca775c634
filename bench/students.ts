/** Simulated students: two-parameter items, abilities that grow by practising and are forgotten between sessions. */

import { DAY_MS } from '../src/domain/local-day.js';
import { sigmoid } from '../src/practice/mastery/gaussian.js';
import type { Answer } from '../src/practice/mastery/rating.js';

interface Simulation {
  readonly students: number;
  readonly skills: number;
  readonly items: number;
  readonly random: () => number;
}

/** The sizes of the public sets: thousands of students, a few dozen answers each, many items with few answers. */
export const SCHOOL = { students: 3_000, skills: 110, items: 12_000 };

const START_MS = Date.UTC(2025, 8, 1);

interface Item {
  readonly id: string;
  readonly skills: readonly number[];
  readonly difficulty: number;
  readonly slope: number;
}

/** The answers of all students by time, with the probability of each being right. */
export function simulate({ students, skills, items, random }: Simulation): {
  readonly answers: readonly Answer[];
  readonly truth: ReadonlyMap<Answer, number>;
} {
  const normal = normalOf(random);
  const hardness = Array.from({ length: skills }, () => 0.7 * normal());
  const bank = Array.from({ length: items }, (_, place): Item => {
    const first = place % skills;
    const more = random() < 0.15 ? [Math.floor(random() * skills)] : [];
    const difficulty = (hardness[first] as number) + 0.9 * normal();
    return { id: `i${place}`, skills: [...new Set([first, ...more])], difficulty, slope: Math.exp(0.25 * normal()) };
  });
  const bySkill = Array.from({ length: skills }, (_, skill) => bank.filter((one) => one.skills[0] === skill));
  const truth = new Map<Answer, number>();
  for (let student = 0; student < students; student += 1) {
    const pupil = new Pupil(0.6 + 0.9 * normal(), normal);
    let atMs = START_MS + random() * 200 * DAY_MS;
    let left = Math.min(800, Math.ceil(Math.exp(3.7 + 0.9 * normal())));
    let skill = Math.floor(random() * skills);
    while (left > 0) {
      // One skill after the other, neighbours in the curriculum, until a few answers in a row are right.
      skill = (skill + 1 + Math.floor(random() * 3)) % skills;
      let streak = 0;
      for (let turn = 0; turn < 25 && streak < 4 && left > 0; turn += 1) {
        const item = pick(bySkill[skill] as readonly Item[], random);
        if (item === undefined) break;
        atMs += random() < 0.04 ? DAY_MS * (1 + 6 * random()) : 20_000 + 120_000 * random();
        const p = pupil.probability(item, atMs);
        const correct = random() < p;
        pupil.practise(item, correct, atMs);
        streak = correct ? streak + 1 : 0;
        left -= 1;
        const named = item.skills.map((one) => `s${one}`);
        truth.set({ student: `u${student}`, item: item.id, skills: named, atMs, correct }, p);
      }
      if (random() < 0.2) atMs += DAY_MS * (1 + 3 * random());
    }
  }
  const answers = [...truth.keys()].sort((a, b) => a.atMs - b.atMs);
  return { answers, truth };
}

/** One student: an ability, and gains by practice in each skill. */
export class Pupil {
  readonly #gains = new Map<number, { value: number; atMs: number }>();
  readonly #start = new Map<number, number>();
  readonly #rate: number;

  constructor(
    readonly ability: number,
    private readonly normal: () => number,
  ) {
    this.#rate = 0.12 * Math.exp(0.5 * normal());
  }

  probability({ skills, difficulty, slope }: Pick<Item, 'skills' | 'difficulty' | 'slope'>, atMs: number): number {
    const known = skills.reduce((sum, skill) => sum + this.#knowledge(skill, atMs), 0) / skills.length;
    // Includes guesses and slips.
    return 0.06 + 0.9 * sigmoid(1.4 * slope * (this.ability + known - difficulty));
  }

  /** Practice teaches most at medium difficulty, and more by a right answer. */
  practise(item: Item, correct: boolean, atMs: number): void {
    const p = this.probability(item, atMs);
    const worth = 4 * p * (1 - p) * (correct ? 1 : 0.6);
    for (const skill of item.skills) {
      const value = this.#gain(skill, atMs) + (this.#rate * worth) / item.skills.length;
      this.#gains.set(skill, { value, atMs });
    }
  }

  #knowledge(skill: number, atMs: number): number {
    let start = this.#start.get(skill);
    if (start === undefined) {
      start = 0.8 * this.normal();
      this.#start.set(skill, start);
    }
    return start + this.#gain(skill, atMs);
  }

  /** Half of the gains are forgotten in a month. */
  #gain(skill: number, atMs: number): number {
    const gain = this.#gains.get(skill);
    return gain === undefined ? 0 : gain.value * 0.5 ** ((atMs - gain.atMs) / (30 * DAY_MS));
  }
}

/** Few items are answered often, most rarely. */
function pick(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(items.length * random() ** 2)];
}

/** Box and Muller. */
export function normalOf(random: () => number): () => number {
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
