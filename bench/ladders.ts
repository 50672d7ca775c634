/**
 * Do students learn more per attempt from ladders than from random cards of the topic?
 *
 *     npm run bench -- ladders [--students 400] [--attempts 20] [--seed 1]
 *
 * Each simulated student practises one topic of 60 cards twice from the same state: with ladders of five, rebuilt from
 * the attempts so far, and with random cards. The gain is the increase of the probability of solving the cards of the
 * topic. The simulation (bench/students.ts) assumes that practice teaches most where it is neither too easy nor
 * hopeless; the benchmark shows whether the model finds such cards from attempts and grades of difficulty alone. A
 * third way, which knows the true probabilities, shows how much could be gained.
 */

import type { Card } from '../src/domain/card.js';
import type { Attempt, LabelledCard } from '../src/domain/practice.js';
import { shuffled } from '../src/domain/shuffled.js';
import { atOnce } from '../src/domain/steps.js';
import { seededRandom } from '../src/evaluation/random.js';
import { compare, mean } from '../src/evaluation/statistics.js';
import { type Candidate, type DuplicateSteps, ladderSteps, TRAINING } from '../src/practice/ladder.js';
import { StudentModel } from '../src/practice/student-model.js';
import { benchmark, type Row, range, readOptions } from './run.js';
import { normalOf, Pupil } from './students.js';

const options = readOptions({ students: 400, attempts: 20, seed: 1 });

const CARDS = 60;
const RUNGS = 5;
const START_MS = Date.UTC(2026, 2, 1);
const TURN_MS = 90_000;

interface TopicCard {
  readonly id: string;
  readonly skills: readonly number[];
  readonly difficulty: number;
  readonly slope: number;
  readonly labelled: LabelledCard;
}

/** Cards of a topic, from easy to very hard; their difficulties are a teacher's estimates, sometimes off by one. */
function notebook(random: () => number): readonly TopicCard[] {
  const normal = normalOf(random);
  return range(CARDS).map((place) => {
    const difficulty = 0.3 + 1.6 * normal();
    const grade = Math.min(5, Math.max(1, Math.round(3 + 1.2 * difficulty + 0.6 * normal())));
    const id = `c${String(place).padStart(2, '0')}`;
    const labels = { topicTags: ['topic'], errorTypes: [], questionKey: null, mistakes: [] };
    const labelled = { id, ownerId: 'student', difficulty: grade, ...labels };
    return { id, skills: [0], difficulty, slope: Math.exp(0.25 * normal()), labelled };
  });
}

/** Chooses the next card from the attempts so far. */
type Choice = (left: readonly TopicCard[], log: readonly Attempt[], pupil: Pupil, atMs: number) => readonly TopicCard[];

function byLadder(cards: readonly TopicCard[]): Choice {
  const labelled = new Map(cards.map((card) => [card.id, card.labelled]));
  return (left, log, _pupil, atMs) => {
    const model = atOnce(StudentModel.steps(log, labelled));
    return rungsOf(left, (card) => model.probability(card.labelled, new Date(atMs)));
  };
}

const byTruth: Choice = (left, _log, pupil, atMs) => rungsOf(left, (card) => pupil.probability(card, atMs));

const noDuplicate: DuplicateSteps = function* () {
  yield;
  return false;
};

function rungsOf(left: readonly TopicCard[], probabilityOf: (card: TopicCard) => number): readonly TopicCard[] {
  const candidates = left.map((card, place): Candidate => {
    const verdict = TRAINING[place % TRAINING.length] ?? 'SAME_IDEA';
    return { card: { id: card.id } as Card, verdict, perspective: 'concept', probability: probabilityOf(card) };
  });
  const rungs = atOnce(ladderSteps(candidates, noDuplicate, { first: RUNGS, difficulty: 3, isWeak: false }));
  return rungs.flatMap(({ card: { id } }) => left.find((card) => card.id === id) ?? []);
}

function byChance(random: () => number): Choice {
  return (left) =>
    shuffled(left.length, random)
      .slice(0, RUNGS)
      .flatMap((place) => left[place] ?? []);
}

/** The student's gain per attempt. */
function gain(seed: number, ability: number, cards: readonly TopicCard[], choose: Choice): number {
  const random = seededRandom(seed);
  const pupil = new Pupil(ability, normalOf(seededRandom(seed + 1)));
  const solved = (atMs: number): number => mean(cards.map((card) => pupil.probability(card, atMs)));
  const attempts = options.attempts;
  const log: Attempt[] = [];
  let atMs = START_MS;
  const before = solved(atMs);
  let left = cards;
  while (log.length < attempts) {
    for (const card of choose(left, log, pupil, atMs).slice(0, attempts - log.length)) {
      atMs += TURN_MS;
      const correct = random() < pupil.probability(card, atMs);
      const item = { id: card.id, skills: card.skills, difficulty: card.difficulty, slope: card.slope };
      pupil.practise(item, correct, atMs);
      const made = { key: String(log.length), cardId: card.id, reviewOf: null, at: new Date(atMs), correct };
      log.push({ ...made, hints: 0, durationMs: null, changedAnswer: false });
      left = left.filter((other) => other !== card);
    }
  }
  return (solved(atMs) - before) / attempts;
}

await benchmark(async (run) => {
  const first = 1_000_000 * options.seed;
  const gains: Record<'random' | 'ladder' | 'truth', number[]> = { random: [], ladder: [], truth: [] };
  for await (const student of run.each('practising', 'students', range(options.students))) {
    const seed = first + 10 * student;
    const random = seededRandom(seed);
    const ability = 0.3 + 0.9 * normalOf(random)();
    const cards = notebook(random);
    gains.random.push(gain(seed + 2, ability, cards, byChance(random)));
    gains.ladder.push(gain(seed + 2, ability, cards, byLadder(cards)));
    gains.truth.push(gain(seed + 2, ability, cards, byTruth));
  }
  const points = (share: number): string => (100 * share).toFixed(3);
  const row = (cards: string, after: readonly number[]): Row => {
    const { value, low, high, p } = compare(gains.random, after);
    return {
      cards,
      'gain, points': points(mean(after)),
      'beside random': points(value),
      'interval 95 %': `${points(low)} .. ${points(high)}`,
      p: p.toFixed(4),
    };
  };
  console.log(`${options.students} students, ${options.attempts} attempts each; percentage points per attempt`);
  run.report('gains', [
    row('ladders', gains.ladder),
    row('ladders that know the truth', gains.truth),
    { cards: 'random', 'gain, points': points(mean(gains.random)) },
  ]);
});
