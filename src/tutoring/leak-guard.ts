import { simplified } from '../domain/simplified.js';
import { atOnce } from '../domain/steps.js';
import { chosenIn } from './choice-answer.js';
import { uncited } from './citations.js';
import { copiedFrom } from './copies.js';
import { deletionIn } from './corrections.js';
import { type FinalAnswer, isCommon, wordIn } from './final-answer.js';
import { type Reading, readingOf, withoutEmphasis } from './hint-reading.js';
import { isRestated, type Known } from './known.js';
import { boundAt, CONTEXT, isSaidToBe, isSame, labelsAt } from './numbers.js';
import { claimIn } from './option-claims.js';
import { isConverted, type Quantity } from './quantities.js';
import { isCoefficient } from './reactions.js';
import { isWordSaidToBe } from './said-words.js';
import { type LeakInput, type Secret, secretsOf } from './secrets.js';
import { countedAt, unitAt } from './units.js';

/**
 * Knows the final answers of what is asked about: of the card itself, and of cards whose question the text asks too.
 * Compares texts in simplified characters.
 */
export class LeakGuard {
  readonly #question: string;

  constructor(
    { question }: LeakInput,
    private readonly secrets: readonly Secret[],
  ) {
    this.#question = simplified(question);
  }

  /** Reads the solutions in steps: ten of 16 KB take a second. */
  static *steps(input: LeakInput): Generator<void, LeakGuard> {
    return new LeakGuard(input, yield* secretsOf(input));
  }

  static of(input: LeakInput): LeakGuard {
    return atOnce(LeakGuard.steps(input));
  }

  /** The answer that the hint reveals, in simplified characters, or null. */
  leakIn(hint: string): string | null {
    return atOnce(this.leakSteps(hint));
  }

  /** {@link leakIn} in steps. */
  *leakSteps(hint: string): Generator<void, string | null> {
    // A reader sees 7/8 in 7[S1]/8, and citations that the context does not have are not shown.
    const read = uncited(hint);
    const readings: Reading[] = [];
    for (const text of new Set([hint, read, withoutEmphasis(read)])) {
      readings.push(readingOf(simplified(text)));
      yield;
    }
    for (const secret of this.secrets) {
      for (const reading of readings) {
        const leak = yield* leakIn(reading, secret, this.#question);
        if (leak !== null) return leak;
      }
    }
    return null;
  }
}

/**
 * The text that a hint reveals: the answer as the hint words it, or a whole sentence of the reference solution; null if
 * it reveals neither. In steps: a card may have 2,000 values, and a text that it is compared with as many numbers.
 * Pure.
 */
function* leakIn(
  reading: Reading,
  { sentences, choice, claims, deleted, answer, known }: Secret,
  question: string,
): Generator<void, string | null> {
  const { hint, said } = reading;
  const copied = copiedFrom(sentences, hint);
  yield;
  if (copied !== undefined) return copied;
  const chosen = chosenIn(hint, question).find((letters) => [...letters].every((letter) => choice?.includes(letter)));
  if (chosen !== undefined) return chosen;
  const told = claimIn(said, claims) ?? deletionIn(hint, deleted);
  if (told !== undefined) return told;
  yield;
  if (answer === null) return null;
  for (const value of answer.values) {
    yield;
    const number = numberIn(reading, value, known);
    if (number !== null) return number;
  }
  const spelled = reading.spelled
    .filter(({ end }) => CLAUSE_END.test(said.slice(end, end + CONTEXT)))
    .map(({ at, end, value }) => ({ at, text: said.slice(at, end), values: [value] }));
  const coefficient = [...reading.numbers, ...spelled].find(
    (one) => one.values.some((value) => answer.coefficients.includes(value)) && isCoefficient(said, one),
  );
  if (coefficient !== undefined) return coefficient.text;
  const formula = answer.formulas.find((one) => formulaIn(one).test(reading.dense));
  if (formula !== undefined) return formula;
  const isSaid = ({ value, isGiven }: (typeof answer.words)[number]): boolean =>
    [...said.matchAll(wordIn(value))].some(
      ({ 0: found, index }) =>
        !(isGiven || isCommon(value)) ||
        isWordSaidToBe(
          value,
          { before: said.slice(Math.max(0, index - CONTEXT), index), found, after: said.slice(index + found.length) },
          known,
        ),
    );
  return answer.words.find(isSaid)?.value ?? null;
}

/** A number of the hint that is the value of the answer, and does not just restate the question. */
function numberIn(
  { said, numbers, differences, spelled }: Reading,
  { value, isGiven, bound, label, quantity, counted }: FinalAnswer['values'][number],
  known: Known,
): string | null {
  for (const one of numbers) {
    if (quantity !== null && isInOtherUnit(one, quantity, known)) return one.text;
    if (!isValue(one, value)) continue;
    const { at, text } = one;
    if (!isGiven || isInUnit(one, quantity, known)) return text;
    const [before, after] = [said.slice(Math.max(0, at - CONTEXT), at), said.slice(at + text.length)];
    // The student's x > 3 is not the answer x < 3.
    const saidBound = boundAt(before, after);
    if (saidBound !== null && bound !== null && saidBound !== bound) continue;
    const isOperated = OPERATED.test(after) && !ANSWER.test(before);
    const isWorded = saidBound !== null && saidBound === bound && !ASKED.test(after);
    if (CALLED_ANSWER.test(after)) return text;
    const isLabelled = label !== null && Object.values(labelsAt(said, one)).includes(label);
    if (isLabelled && !known.labelled.has(`${label}${text}`)) return text;
    if ((isWorded || isSaidToBe(before)) && !isOperated && !isRestated(known, said, one)) return text;
  }
  const difference = differences.find((one) => isSame(one.value, value) && !known.numbers.has(one.text));
  if (difference !== undefined && !isGiven) return difference.text;
  // Small numbers in words are in many hints, and 第三十一 is a place.
  const isTelling = !isGiven && !isSimple(value);
  const isSaid = spelled.some(({ at, end, value: one }) => {
    if (!isSame(one, value) || NO_COUNT.test(said.slice(at))) return false;
    const before = said.slice(Math.max(0, at - CONTEXT), at);
    if (isSaidToBe(before)) return true;
    if (/第\s{0,4}$/.test(before)) return false;
    const after = said.slice(end, end + CONTEXT);
    if (isGiven) return quantity !== null && !known.quantities.has(quantity.key) && isOfUnit(after, quantity, null);
    return isTelling || isOfUnit(after, quantity, counted) || (CONCLUDES.test(before) && endsClause(after, counted));
  });
  return isSaid ? String(value) : null;
}

/** Whether a number is the answer in another unit, which neither the student nor the question has. */
function isInOtherUnit({ quantity }: Reading['numbers'][number], answer: Quantity, known: Known): boolean {
  // 1 m = 100 cm is a conversion.
  if (quantity === null || quantity.value === 1) return false;
  return isConverted(quantity, answer) && !known.quantities.has(quantity.key);
}

/** Whether a known number has the unit of the answer, with which it is not known: 1 m/s, where 1 kg is. */
function isInUnit({ quantity }: Reading['numbers'][number], answer: Quantity | null, known: Known): boolean {
  if (quantity === null || quantity.value === 1) return false;
  return quantity.key === answer?.key && !known.quantities.has(quantity.key);
}

/** Whether a number in words has the unit of the answer: `one metre per second`, 四行. */
function isOfUnit(after: string, quantity: Quantity | null, counted: string | null): boolean {
  if (/^[^\S\n]?\S{1,12}?\s*(?:=|等于|有|is |are |has |equals )/.test(after)) return false;
  const unit = quantity === null ? null : unitAt(after);
  if (unit !== null) return unit.dimension === quantity?.dimension && unit.factor === quantity.factor;
  return counted !== null && countedAt(after) === counted && !COUNTS_ANYTHING.test(counted);
}

const COUNTS_ANYTHING = /[个种步次类部层点边角项位分]/;

/** Whether a clause ends behind a number in words, or behind what the answer counts too: 还剩八个. */
function endsClause(after: string, counted: string | null): boolean {
  const isCounted = counted !== null && countedAt(after) === counted;
  return CLAUSE_END.test(isCounted ? after.replace(counted, '').replace(/^(\s?)s/, '$1') : after);
}

/** Before a number in words that ends its clause: `13 - 8 leaves five`, 最后就是八. */
const CONCLUDES =
  /(?:[剩共得]|剩下|只有|所以|因此|返回|输出|也就是|停在|leaves|makes|(?:left with|so|therefore|hence),?)\s*$/;
const CLAUSE_END = /^[^\S\n]*(?:[.。,，;；!！\n]|$)/;

/** A number up to 12, or a part of one with such a denominator: 三分之二. */
function isSimple(value: number): boolean {
  if (Math.abs(value) > 12) return false;
  return Array.from({ length: 12 }, (_, place) => value * (place + 1)).some((one) => isSame(one, Math.round(one)));
}

/** Behind a number: `8 is the answer`, `8 人就是答案`. */
const CALLED_ANSWER =
  /^(?:[^\S\n]*(?:[a-z°%]{1,8}|\p{Script=Han}{1,3}?))?["”'’」`)]*\s*(?:就?是(?:正确|最终|最后)?的?(?:答案|结果)|is (?:the |your )?(?:right |correct |final )?(?:answer|result))(?!吗|[^.。\n]*[?？])/u;

/** Behind words that compare with a number: `大于 3 吗？` */
const ASKED = /^[^。.!！\n]{0,12}[吗?？]/;

/** Behind a number that begins an expression: `you get 8 - 3`, `you get 8x`. */
const OPERATED =
  /^\s*[-+*/^]\s*(?:\d|\(\s*(?:\d|[a-z]\s*[-+*/^=\d)])|[a-z](?=\s*(?:[-+*/^=\d)]|[.,;:!?，。；！？]|$)))|^[xyz](?![a-z])/;

/** Not before an expression: `答案=5×1`. */
const ANSWER = /(?:答案|answer)\W{0,4}(?:is|[是为])?\W{0,4}$/;

/** A limit, a name or a unit: 一百以内, 二十一世纪, 百位, 千克. */
const NO_COUNT =
  /^(?:[百千万](?!分之|[零一二两三四五六七八九])|[零一二两三四五六七八九十百千万]+\s*(?:以[内上下外]|世纪|年代|年级))/;

/** Whether a number is the value, or has two decimals or more and is the value rounded: 0.67 for 2/3. */
function isValue({ values, decimals }: Reading['numbers'][number], value: number): boolean {
  for (const one of values) {
    if (isSame(one, value)) return true;
    if (decimals === undefined || Math.abs(value) <= 0.05) continue;
    if (Math.abs(one - value) <= 0.5001 * 10 ** -decimals) return true;
  }
  return false;
}

/** The formula, unless it is cut from a longer number. */
function formulaIn(formula: string): RegExp {
  return new RegExp(`(?<![\\d.√](?=[\\d√π]))${formula.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\d/^]|\\.\\d)`);
}
