import { describe, expect, test } from 'vitest';
import { nextTurn } from '../../../src/domain/async.js';
import { BackgroundTurns } from '../../../src/domain/background.js';

describe('background turns', () => {
  test('run one step at once, those of all works in the order in which they were asked for', async () => {
    const turns = new BackgroundTurns(nextTurn);
    const steps: string[] = [];
    let underWay = 0;
    const work = async (name: string): Promise<void> => {
      for (let step = 1; step <= 3; step += 1) {
        await turns.take(async () => {
          underWay += 1;
          expect(underWay).toBe(1);
          await nextTurn();
          steps.push(`${name}${step}`);
          underWay -= 1;
        });
      }
    };
    await Promise.all([work('a'), work('b')]);
    expect(steps).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  });

  test('begin a step when no search is at work', async () => {
    let end: () => void = () => undefined;
    const searching = new Promise<void>((resolve) => {
      end = resolve;
    });
    const turns = new BackgroundTurns(() => searching);
    let begun = false;
    const step = turns.take(() => {
      begun = true;
    });
    await nextTurn();
    expect(begun).toBe(false);
    end();
    await step;
    expect(begun).toBe(true);
  });

  test('go on after a step that failed, whose work alone hears of it', async () => {
    const turns = new BackgroundTurns(nextTurn);
    const failing = turns.take(() => Promise.reject(new Error('a page could not be read')));
    const next = turns.take(() => 'the next page');
    await expect(failing).rejects.toThrow('a page could not be read');
    expect(await next).toBe('the next page');
  });
});
