/** The program of a scoring thread: scores the lanes that it is sent, in order. */
import { parentPort } from 'node:worker_threads';
import { asError } from '../domain/errors.js';
import { LaneScoring } from './score-pass.js';
import type { LanesMessage, LanesReply } from './scoring-thread.js';

const scoring = new LaneScoring();

parentPort?.on('message', ({ id, lanes, sums }: LanesMessage) => {
  parentPort?.postMessage(replyTo(id, () => scoring.score(lanes, sums)));
});

function replyTo(id: number, score: () => readonly number[]): LanesReply {
  try {
    return { id, tookMs: score() };
  } catch (thrown) {
    const { message, stack = '' } = asError(thrown);
    return { id, message, stack };
  }
}
