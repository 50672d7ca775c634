/** Simulated students who review cards when they are due, and remember them by FSRS with parameters of their own. */
import {
  type Card,
  clipParameters,
  createEmptyCard,
  dateDiffInDays,
  default_w,
  FSRSAlgorithm,
  type FSRSState,
  fsrs,
} from 'ts-fsrs';
import { DAY_MS } from '../src/domain/local-day.js';
import type { Attempt } from '../src/domain/practice.js';
import { atOnce } from '../src/domain/steps.js';
import { mean } from '../src/evaluation/statistics.js';
import { historySteps, predictions } from '../src/fsrs/memory.js';
import { gradeOf } from '../src/fsrs/schedule.js';
import { normalOf } from './students.js';

/** How the parameters of FSRS-6 differ among people, 21 standard deviations (fsrs-rs, PARAMS_STDDEV). */
const DEVIATIONS = [
  6.43, 9.66, 17.58, 27.85, 0.57, 0.28, 0.6, 0.12, 0.39, 0.18, 0.33, 0.3, 0.09, 0.16, 0.57, 0.25, 1.03, 0.31, 0.32,
  0.14, 0.27,
];
/** Parameters whose distributions are skewed, with the deviation of their logarithms. */
const SKEWED: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 1, 3: 1, 19: 0.6, 20: 0.6 };

/** Parameters of somebody. `spread`: by how much people differ; 0: everybody has the defaults. */
export function someParameters(random: () => number, spread: number): readonly number[] {
  const normal = normalOf(random);
  const moved = default_w.map((weight, place) => {
    const skewed = SKEWED[place];
    const move = spread * normal() * (skewed ?? (DEVIATIONS[place] as number));
    return skewed === undefined ? weight + move : weight * Math.exp(move);
  });
  return clipParameters(moved, 1);
}

interface Reviewer {
  readonly parameters: readonly number[];
  readonly cards: number;
  readonly days: number;
  readonly random: () => number;
}

/** Answers that are wrong whatever is remembered, and right whatever is forgotten. */
const SLIP = 0.02;
const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 1);

/**
 * The attempts of one student by time, with the probability of each being right. Cards are due by the default schedule;
 * some reviews come late.
 */
export function attemptsOf({ parameters, cards, days, random }: Reviewer): ReadonlyMap<Attempt, number> {
  const memory = new FSRSAlgorithm({ w: [...parameters] });
  const scheduler = fsrs();
  const truth: [Attempt, number][] = [];
  for (let card = 0; card < cards; card += 1) {
    let atMs = START_MS + Math.floor(0.8 * days * random()) * DAY_MS + (8 + 8 * random()) * HOUR_MS;
    let known: FSRSState | null = null;
    let state: Card | null = null;
    let last: Date | null = null;
    for (let turn = 0; atMs < START_MS + days * DAY_MS; turn += 1) {
      const at = new Date(Math.floor(atMs));
      const since = last === null ? 0 : dateDiffInDays(last, at);
      let p = 0.85;
      if (known === null) p = 0.6;
      else if (since > 0) p = SLIP + (1 - 2 * SLIP) * memory.forgetting_curve(since, known.stability);
      const correct = random() < p;
      const hints = correct && random() < 0.15 ? 1 : 0;
      const attempt: Attempt = {
        ...{ key: `${card}-${turn}`, cardId: `c${card}`, reviewOf: null, at, correct, hints },
        ...{ durationMs: null, changedAnswer: false },
      };
      truth.push([attempt, p]);
      const grade = gradeOf(attempt);
      known = memory.next_state(known, since, grade);
      state = scheduler.next(state ?? createEmptyCard(at), at, grade).card;
      last = at;
      const due = state.due.getTime();
      const isStep = due - at.getTime() < HOUR_MS;
      atMs = due + (isStep ? HOUR_MS / 6 : random() < 0.7 ? 6 * HOUR_MS : 5 * DAY_MS) * random();
    }
  }
  return new Map(truth.sort(([a], [b]) => a.at.getTime() - b.at.getTime()));
}

/** Log loss of parameters on reviews that is to be expected, given the probabilities that the student really had. */
export function expectedLogLoss(truth: ReadonlyMap<Attempt, number>, weights: readonly number[]): number {
  const losses: number[] = [];
  const histories = atOnce(historySteps([...truth.keys()], 'UTC'));
  for (const [{ attempt }, recalled] of predictions(histories, weights)) {
    const p = truth.get(attempt) ?? 0;
    losses.push(-p * Math.log(recalled) - (1 - p) * Math.log(1 - recalled));
  }
  return mean(losses);
}
