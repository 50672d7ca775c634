import { CONTEXT, type NumberAt } from './numbers.js';

/** Before a number that another one is compared with: 比 200, 比原价 200. */
const COMPARED = /比[^\S\n]?(?:\p{Script=Han}{1,4}[^\S\n]?)?$/u;

/** Between it and the difference, with a unit: 元少, 大了. Groups: more, less. */
const CHINESE =
  /^[^\S\n]?(?:\p{Script=Han}{1,2}|[a-z°%]{1,4})?[^\S\n]?(?:([多大高长重贵快]|增加)|([少小低短轻慢]|便宜|减少))[了出]?[^\S\n]?$/u;

/** Between the difference and it: ` yuan less than `. Groups: more, less. */
const ENGLISH =
  /^[^\S\n]?(?:[a-z°%]{1,12}[^\S\n])?(?:(more|greater|larger|bigger|higher|longer|above)|(less|fewer|smaller|lower|shorter|below))(?: than)?[^\S\n]{1,2}$/;

/** A value that a text tells by its difference from another number: 198 of `比 200 元少 2 元`. */
export interface Difference {
  readonly value: number;
  /** The difference as it is written. */
  readonly text: string;
}

/** What each two numbers in sequence tell. */
export function differencesIn(said: string, numbers: readonly NumberAt[]): readonly Difference[] {
  return numbers.slice(1).flatMap((next, place) => {
    const one = numbers[place] as NumberAt;
    const between = said.slice(one.at + one.text.length, Math.min(next.at, one.at + one.text.length + CONTEXT));
    const isChinese = COMPARED.test(said.slice(Math.max(0, one.at - CONTEXT), one.at));
    const [, more, less] = (isChinese ? CHINESE : ENGLISH).exec(between) ?? [];
    if (more === undefined && less === undefined) return [];
    const [{ values }, by] = isChinese ? [one, next] : [next, one];
    const steps = by.values.map((step) => (less === undefined ? step : -step));
    return values.flatMap((value) => steps.map((step) => ({ value: value + step, text: by.text })));
  });
}
