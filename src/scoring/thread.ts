/** The program of a scoring thread: runs the passes that it is sent, in order. */
import { parentPort } from 'node:worker_threads';
import { asError } from '../domain/errors.js';
import type { PassMessage, PassReply } from './protocol.js';
import { PassScoring } from './score-pass.js';

const scoring = new PassScoring();

parentPort?.on('message', ({ id, pass, byCard }: PassMessage) => {
  parentPort?.postMessage(replyTo(id, () => scoring.score(pass, byCard)));
});

function replyTo(id: number, score: () => readonly number[]): PassReply {
  try {
    return { id, tookMs: score() };
  } catch (thrown) {
    const { message, stack = '' } = asError(thrown);
    return { id, message, stack };
  }
}
