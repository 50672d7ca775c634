import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atOnce } from '../../../src/domain/steps.js';
import { TermDictionary } from '../../../src/lexical/term-dictionary.js';

const nameArb = fc.constantFrom(...'abcdef');
const stepArb = fc.record({ name: nameArb, hold: fc.boolean() });

describe('a term dictionary', () => {
  test('keeps a string’s number while it is referenced, and assigns no number twice', () => {
    fc.assert(
      fc.property(fc.array(stepArb, { maxLength: 40 }), (steps) => {
        const numbering = new TermDictionary();
        const held = new Map<string, { number: number; times: number }>();
        for (const { name, hold } of steps) {
          const known = held.get(name);
          if (hold) {
            const number = numbering.take(name);
            numbering.hold(number);
            expect(number).toBe(known?.number ?? number);
            held.set(name, { number, times: (known?.times ?? 0) + 1 });
          } else if (known !== undefined) {
            numbering.release(known.number);
            if (known.times === 1) held.delete(name);
            else held.set(name, { ...known, times: known.times - 1 });
          }
          expect(numbering.size).toBe(held.size);
          for (const [one, { number }] of held)
            expect([numbering.of(one), numbering.names[number]]).toEqual([number, one]);
          expect(numbering.names.length).toBeLessThanOrEqual(6);
        }
      }),
    );
  });

  test('throws if a string is released more often than it was acquired', () => {
    const numbering = new TermDictionary();
    const number = numbering.take('a');
    expect(() => numbering.release(number)).toThrow('more often');
  });

  test('is restored with the referenced strings, and reuses the other numbers', () => {
    const numbering = new TermDictionary();
    atOnce(numbering.restore(['a', 'b', '', 'c'], Uint32Array.of(1, 0, 0, 2)));
    expect([numbering.of('a'), numbering.of('b'), numbering.of('c'), numbering.size]).toEqual([0, undefined, 3, 2]);
    expect(['x', 'y', 'z'].map((name) => numbering.take(name))).toEqual([1, 2, 4]);
    expect(() => atOnce(numbering.restore([], new Uint32Array()))).toThrow('empty');
  });

  test('is restored in a step for each thousand strings', () => {
    const names = Array.from({ length: 3_500 }, (_, number) => `${number}`);
    const numbering = new TermDictionary();
    expect([...numbering.restore(names, new Uint32Array(names.length).fill(1))]).toHaveLength(4);
    expect(numbering.size).toBe(names.length);
  });
});
