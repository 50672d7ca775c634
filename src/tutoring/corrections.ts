import { sentencesOf } from './segments.js';

/** Of a corrected sentence that is short, most words stand in the question. */
const MIN_WORDS = 4;
const MAX_WORDS = 40;

const WORDS = /[A-Za-z]+(?:['’][A-Za-z]+)?/g;

/** The words of a reference solution that correct a sentence of the question: `saw` in `I saw her yesterday.` */
export function correctedWords(reference: string, question: string): readonly string[] {
  const asked = new Set(wordsOf(question));
  return sentencesOf(reference).flatMap(({ start, end }) => {
    const words = wordsOf(reference.slice(start, end));
    if (words.length < MIN_WORDS || words.length > MAX_WORDS) return [];
    const isNew = words.map((word) => !asked.has(word));
    const count = isNew.filter(Boolean).length;
    if (count === 0 || count > 3 || count > words.length / 3) return [];
    const first = isNew.indexOf(true);
    const last = isNew.lastIndexOf(true);
    // What stands together is one correction.
    if (last - first + 1 === count) return [words.slice(first, last + 1).join(' ')];
    return words.filter((_, place) => isNew[place]);
  });
}

function wordsOf(text: string): readonly string[] {
  return (text.match(WORDS) ?? []).map((word) => word.toLowerCase());
}

/** The character of a Chinese word that a student wrote wrong: 鹜 of 孤鹜 for 孤骛. */
export function correctedCharacter(word: string, attempt: string): string | null {
  if (!/^\p{Script=Han}{2,8}$/u.test(word)) return null;
  for (let at = 0; at + word.length <= attempt.length; at += 1) {
    const written = attempt.slice(at, at + word.length);
    const wrong = [...word].filter((character, place) => character !== written[place]);
    if (wrong.length === 1) return wrong[0] ?? null;
  }
  return null;
}

const NAME = /^(?:\p{Lu}[\p{Ll}.]* ){1,3}(\p{Lu}\p{Ll}{3,})[.]?$/u;

/** The last name of a person, if a reference solution is a name: `William Shakespeare`. */
export function lastNameIn(reference: string): string | null {
  return NAME.exec(reference.trim())?.[1]?.toLowerCase() ?? null;
}

/** 无论：不要说，更不必说。 */
const EXPLAINED = /(?<=^|[。；;\n])\s{0,4}["“「]?(\p{Script=Han}{1,4})["”」]?\s{0,4}[:：]\s{0,4}([^。；;\n]{2,40})/gu;

/** What a reference solution says that words of the question mean, in phrases of four characters and more. */
export function explanationsIn(reference: string, question: string): readonly string[] {
  return [...reference.matchAll(EXPLAINED)].flatMap(([, word = '', meaning = '']) => {
    if (!question.includes(word)) return [];
    return meaning
      .split(/[，,、]/)
      .flatMap((phrase) => (/^\p{Script=Han}{4,20}$/u.test(phrase.trim()) ? [phrase.trim()] : []));
  });
}

const DELETED =
  /(?:删[去掉除]|去[掉除])\s*["“「]([^"“”「」]{1,12})["”」]|["“「]([^"“”「」]{1,12})["”」](?:删[去掉除]|去[掉除])/g;

/** The words that a corrected sentence has no more: 删去“使”. */
export function deletedIn(reference: string): readonly string[] {
  return [...reference.matchAll(DELETED)].map(([, behind, before]) => behind ?? before ?? '');
}

/** A word that a hint says to delete, and does not ask about. */
export function deletionIn(hint: string, deleted: readonly string[]): string | undefined {
  if (deleted.length === 0) return undefined;
  const told = hint.split(/(?<=[。!！?？\n])/).filter((sentence) => !/[?？吗]|如果|能不能|是否/.test(sentence));
  return deleted.find((word) => {
    const quoted = `["“「]?${word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}["”」]?`;
    const pattern = new RegExp(`(?:删[去掉除]?|去[掉除])了?${quoted}|${quoted}(?:字|一?词)?(?:给|都)?(?:删|去[掉除])`);
    return told.some((sentence) => pattern.test(sentence));
  });
}
