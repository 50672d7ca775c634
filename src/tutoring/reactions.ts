import { plainFormulas } from '../text/latex.js';
import { normalise } from '../text/normalise.js';
import { CONTEXT, type NumberAt } from './numbers.js';

/** Two elements, or one with a number, at the end of a sentence. */
const ELEMENT = '(?:He|Li|Be|Ne|Na|Mg|Al|Si|Cl|Ar|Ca|Cr|Mn|Fe|Co|Ni|Cu|Zn|Br|Ag|Ba|Hg|Pb|Sn|Au|Pt|[HBCNOFPSKI])';
const COMPOUND = `(?=.*(?:\\d|[A-Z].*[A-Z]))((?:\\(?${ELEMENT}\\d{0,2}(?:\\)\\d?)?)+(?:\\^\\(?\\d?[+-]\\)?)?)$`;
const CHEMICAL = new RegExp(`(?<![\\w(=+*/^-])\\d{0,2}${COMPOUND}`);

/** Characters at the end of a sentence in which a compound is looked for: the search takes their square. */
const COMPOUND_WITHIN = 200;

/** Of a reaction: its numbers are coefficients. */
const EQUATION = new RegExp(`[+=→]\\s*\\d{0,2}\\s*${COMPOUND}`);

/** A compound that a sentence ends with. */
export function compoundAt(end: string): string | undefined {
  return CHEMICAL.exec(end.slice(-COMPOUND_WITHIN))?.[1];
}

export function isReaction(sentence: string): boolean {
  return EQUATION.test(plainFormulas(normalise(sentence)).trimEnd().slice(-COMPOUND_WITHIN));
}

const COEFFICIENT = new RegExp(`(?:^|[=+→>⇌])\\s*(\\d{1,2})\\s*(?=\\(?${ELEMENT})`, 'g');

/** The coefficients above 1 of an equation of a reaction. */
export function coefficientsOf(text: string): readonly number[] {
  const written = plainFormulas(normalise(text)).replaceAll('$', '');
  return [...written.matchAll(COEFFICIENT)].map(([, number]) => Number(number)).filter((number) => number > 1);
}

/** Whether a text says that a number is a coefficient: 铝的系数是 4, 前面配 4, 4 个 O2, `Put 3 in front of H2`. */
export function isCoefficient(said: string, { at, text }: NumberAt): boolean {
  const after = said.slice(at + text.length, at + text.length + CONTEXT);
  if (COUNTED_MOLECULES.test(after)) return !ASKED.test(after);
  if (QUESTIONED.test(after)) return false;
  return BEFORE_COEFFICIENT.test(said.slice(Math.max(0, at - CONTEXT), at)) || BEHIND_COEFFICIENT.test(after);
}

const BEFORE_COEFFICIENT =
  /(?:系数|前面?(?:应该?|要|就)?(?:配|写|添|加|填|放)|coefficients?(?![a-z]))[^。；;!！?？\n]*$/;
const BEHIND_COEFFICIENT = /^\s*(?:in front of|before) (?:the )?[a-z]/;
const COUNTED_MOLECULES = /^[^\S\n]?(?:个|molecules? of)[^\S\n]?[a-z()]{1,8}\d/;
const ASKED = /^[^。；;.!！\n]{0,20}[吗?？]/;
const QUESTIONED = new RegExp(`^(?:\\s*[个种的])|${ASKED.source}`);
