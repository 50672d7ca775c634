import { dense } from './notation.js';
import { sentencesOf } from './segments.js';

/** Sentences of the reference that a hint repeats word for word give it away too; shorter ones are anybody's. */
const MIN_SENTENCE = 12;

/** Sentences that the question does not have, and a corrected one behind its explanation: `删去“使”：这次参观……`. */
export function tellingSentences(reference: string, asked: string): readonly string[] {
  return sentencesOf(reference)
    .map(({ start, end }) => reference.slice(start, end))
    .flatMap((sentence) => [sentence, /[:：]\s*((?=\p{Lu}|\p{Script=Han})[^:：=\d]+)$/u.exec(sentence)?.[1] ?? ''])
    .filter((sentence) => dense(sentence).length >= MIN_SENTENCE && !asked.includes(sentence));
}

/** The sentence that a hint repeats; `question` without layout. */
export function copiedFrom(sentences: readonly string[], hint: string, question: string): string | undefined {
  // The end of the hint, quotation marks and emphasis end a sentence too.
  const copies = dense(`${hint}.`.replace(/(?<=\p{L})["”」*]/gu, '.'));
  return sentences.find((sentence) => {
    const copy = dense(sentence);
    // A corrected sentence may differ from that of the question in its capitals and commas alone.
    return copies.includes(copy) && (!question.includes(copy) || hint.includes(sentence.replace(/[.。]$/, '')));
  });
}
