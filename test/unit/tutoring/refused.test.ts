import { expect, test } from 'vitest';
import type { TutorEvent, TutoringContext } from '../../../src/domain/tutoring.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import { ChatTutor } from '../../../src/tutoring/tutor.js';
import { cardOf } from '../../support/generators.js';

/** The last event of a tutor whose model writes this text about a card with this reference solution. */
async function lastEvent(
  text: string,
  goldSolutionBrief: string,
  onWritten = () => {},
): Promise<TutorEvent | undefined> {
  const card = cardOf({ id: 'a', questionText: '1+1', goldSolutionBrief });
  const context = {
    ...{ mode: 'HINT_1', language: 'en', verdict: 'ENOUGH', rules: '', material: '', question: '1+1' },
    ...{ card, sources: [{ label: 'S1', card, verdict: 'DUPLICATE' }] },
  } as unknown as TutoringContext;
  const chat = {
    name: 'one text',
    async *stream() {
      yield text;
      onWritten();
      return 'STOP' as const;
    },
  };
  const log = { info: () => {}, error: () => {} };
  const tutor = new ChatTutor({ contexts: { context: async () => context }, chat, keepsTexts: false, log });
  const { signal } = new AbortController();
  let last: TutorEvent | undefined;
  for await (last of tutor.answer(DEFAULT_VIEWER, {}, { signal, searchSignal: signal }));
  return last;
}

test('the reason of a refusal has no citation and no marker, but intervals and other brackets', async () => {
  const text = '[REFUSE] No source [S1] maximises f on [0, 2] [sic], [REFUSE].';
  const reason = 'No source  maximises f on [0, 2] [sic], .';
  expect(await lastEvent(text, 'x = 7')).toEqual({ kind: 'refused', refusal: 'INSUFFICIENT', reason });
});

test('other work goes on while a long reason is compared with an answer of many values', async () => {
  const values = Array.from({ length: 1_500 }, (_, place) => `x=${1_000 + place}`);
  const reason = Array.from({ length: 1_500 }, (_, place) => place % 900).join(' ');
  let [turns, written] = [0, 0];
  const next = (): void => {
    turns += 1;
    timer = setImmediate(next);
  };
  let timer = setImmediate(next);
  await lastEvent(`[REFUSE] ${reason}`, `$${values.join(',')}$`, () => {
    written = turns;
  });
  clearImmediate(timer);
  expect(turns).toBeGreaterThan(written);
});
