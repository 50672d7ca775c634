/**
 * From which similarity on are two questions the same question, typed twice?
 *
 *     npm run bench -- duplicates FILE.jsonl...
 *
 * Pairs that are the same by construction: each question of the files, changed by rules (another notation of its
 * formulas, other blanks and widths, its four options in another order, one character left out). Pairs that differ by
 * construction: the same question with another number, sign or word, or with a word that reverses it. And pairs of
 * questions in the files that share a MinHash band, with the number of those that have the same reference solution.
 * Prints the share of each kind that is taken for the same question, by threshold.
 */

import { readJsonLines } from '../src/cli/read-file.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { seededRandom } from '../src/evaluation/random.js';
import { canonicalQuestion } from '../src/text/canonical-question.js';
import { DUPLICATE_THRESHOLD, nearnessOf, questionFingerprints } from '../src/text/duplicate-questions.js';
import { hasReplacedWord } from '../src/text/replaced-words.js';
import { benchmark, type Row, type Run, readArguments } from './run.js';

const THRESHOLDS = [0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1];

interface Question {
  readonly text: string;
  readonly solution: string | null;
}

const random = seededRandom(1);

/** Other spellings of the same question; unchanged if a rule does not apply. */
const RETYPINGS: Readonly<Record<string, (text: string) => string>> = {
  'another LaTeX notation': (text) =>
    text
      .replaceAll('\\frac', '\\dfrac')
      .replaceAll('\\leq', '\\le')
      .replaceAll('\\geq', '\\ge')
      .replaceAll('\\times', '×')
      .replace(/\$([^$]+)\$/g, '\\($1\\)'),
  'other blanks': (text) =>
    text.replace(/([\p{Script=Han}，。])(?=[\p{Script=Han}$])/gu, (char) => (random() < 0.1 ? `${char} ` : char)),
  'full-width signs': (text) =>
    text.replaceAll('(', '（').replaceAll(')', '）').replaceAll(':', '：').replaceAll('?', '？'),
  'options the other way round': (text) => {
    const found = /^([\s\S]*?)\bA\.([\s\S]*?)\bB\.([\s\S]*?)\bC\.([\s\S]*?)\bD\.([\s\S]*)$/.exec(text);
    if (found === null || /\bE\./.test(text)) return text;
    const [, stem, a, b, c, d] = found as unknown as [string, string, string, string, string, string];
    return `${stem}A. ${d.trim()}\nB. ${c.trim()}\nC. ${b.trim()}\nD. ${a.trim()}`;
  },
  'one character left out': (text) => leftOut(text),
};

/** The text without one letter that is not part of a formula. */
function leftOut(text: string): string {
  const places = [...text.replace(/\$[^$]*\$/g, (formula) => '\u0000'.repeat(formula.length))].flatMap((char, place) =>
    /[\p{Script=Han}a-z]/u.test(char) ? [place] : [],
  );
  const place = places[Math.floor(random() * places.length)];
  return place === undefined ? text : text.slice(0, place) + text.slice(place + 1);
}

/** Another question in nearly the same words; unchanged if a rule does not apply. */
const CHANGES: Readonly<Record<string, (text: string) => string>> = {
  'another number': (text) => text.replace(/\d+(?!.*\d)/s, (digits) => String(Number(digits) + 1)),
  'another sign': (text) => text.replace(/\+/, '-'),
  'turned round': (text) =>
    text.replace(
      /最大|最小|周长|面积|正确|largest|smallest|greatest|least|more|less|area|perimeter/,
      (word) => TURNED[word] ?? word,
    ),
  'another word': (text) =>
    text.replace(/(?<=[^$]{8})(?:(?<![A-Za-z\\])[a-z]{5,}(?![A-Za-z])|\p{Script=Han}{2})(?=[^$]*$)/u, (word) =>
      /[a-z]/.test(word) ? 'planet' : '行星',
    ),
};

const TURNED: Readonly<Record<string, string>> = {
  最大: '最小',
  最小: '最大',
  周长: '面积',
  面积: '周长',
  正确: '不正确',
  largest: 'smallest',
  smallest: 'largest',
  greatest: 'least',
  least: 'greatest',
  more: 'less',
  less: 'more',
  area: 'perimeter',
  perimeter: 'area',
};

async function read(file: string): Promise<readonly Question[]> {
  const byText = new Map<string, Question>();
  for (const { value } of await readJsonLines(file)) {
    const { questionText, goldSolutionBrief } = value as {
      questionText: string;
      goldSolutionBrief?: string;
    };
    byText.set(questionText, { text: questionText, solution: goldSolutionBrief ?? null });
  }
  return [...byText.values()];
}

/** The shares that reach the thresholds. */
const sharesOf = (nearnesses: readonly number[]): Row =>
  Object.fromEntries(
    THRESHOLDS.map((threshold) => [
      `from ${threshold}`,
      nearnesses.filter((nearness) => nearness >= threshold).length / nearnesses.length,
    ]),
  );

/** 0 as well for two questions that an import keeps apart because a word of one is replaced in the other. */
function nearness(a: string, b: string): number {
  const [one, other] = [canonicalQuestion(a), canonicalQuestion(b)];
  return hasReplacedWord(one, other) ? 0 : nearnessOf(one, other);
}
const bandsOf = (text: string): readonly number[] =>
  questionFingerprints(DEFAULT_VIEWER, text, canonicalQuestion(text)).bands;

/** Every pair of different questions with a common band, once. */
async function banded(run: Run, questions: readonly Question[]): Promise<readonly (readonly [Question, Question])[]> {
  const byBand = new Map<number, number[]>();
  const pairs = new Set<string>();
  for await (const [place, { text }] of run.each('bands', 'questions', [...questions.entries()])) {
    for (const band of bandsOf(text)) {
      const known = byBand.get(band) ?? [];
      for (const other of known) pairs.add(`${other} ${place}`);
      byBand.set(band, [...known, place]);
    }
  }
  return [...pairs].map((pair) => pair.split(' ').map((place) => questions[Number(place)]) as [Question, Question]);
}

const { files } = readArguments({}, 1);

await benchmark(async (run) => {
  const questions = (await Promise.all(files.map(read))).flat();
  const rows: Row[] = [];
  for (const [title, rules] of Object.entries({ 'same question': RETYPINGS, 'other question': CHANGES })) {
    for (const [name, rule] of Object.entries(rules)) {
      const pairs = questions.map(({ text }) => [text, rule(text)] as const).filter(([text, other]) => text !== other);
      const nearnesses: number[] = [];
      let missed = 0;
      for await (const [text, other] of run.each(name, 'pairs', pairs)) {
        const near = nearness(text, other);
        nearnesses.push(near);
        if (near < DUPLICATE_THRESHOLD) continue;
        const bands = new Set(bandsOf(text));
        if (!bandsOf(other).some((band) => bands.has(band))) missed += 1;
      }
      rows.push({ title, name, pairs: pairs.length, ...sharesOf(nearnesses), 'missed by their bands': missed });
    }
  }
  run.report(`pairs of ${questions.length} questions that are taken for the same, by similarity`, rows);
  const natural: { readonly nearness: number; readonly same: boolean }[] = [];
  for await (const [a, b] of run.each('pairs of the files', 'pairs', await banded(run, questions))) {
    natural.push({ nearness: nearness(a.text, b.text), same: a.solution !== null && a.solution === b.solution });
  }
  const ranges = THRESHOLDS.map((threshold, at) => {
    const next = THRESHOLDS[at + 1] ?? Number.POSITIVE_INFINITY;
    const within = natural.filter((pair) => pair.nearness >= threshold && pair.nearness < next);
    return {
      from: threshold,
      pairs: within.length,
      'same reference solution': within.filter(({ same }) => same).length,
    };
  });
  run.report('pairs of the files', ranges);
});
