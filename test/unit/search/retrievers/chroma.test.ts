import { expect, onTestFinished, test, vi } from 'vitest';
import { failureLog } from '../../../../src/search/retrievers/chroma.js';

test('a lane that fails in every search is logged once in ten seconds, with the number of other searches', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const logged: object[] = [];
  const onFailure = failureLog({ warn: (facts) => void logged.push(facts) });
  const err = new Error('no answer');
  for (let search = 0; search < 50; search++) {
    for (const part of ['dense question', 'dense error']) onFailure(part, err);
    vi.advanceTimersByTime(250);
  }
  const line = (part: string, omitted: number, sinceMs: number | null) => ({ err, part, omitted, sinceMs });
  expect(logged).toEqual([
    line('dense question', 0, null),
    line('dense error', 0, null),
    line('dense question', 39, 10_000),
    line('dense error', 39, 10_000),
  ]);
});
