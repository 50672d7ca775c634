/**
 * How often is a verdict right?
 *
 *     npm run bench -- verdicts CARDS.jsonl [CARDS.jsonl ...]
 *
 * 50 labelled cards of each file, evenly spaced, are used as queries twice: by their texts (the question, for cards
 * with error types together with the wrong solution), and by their ids. The first, second, fifth and tenth hit each
 * make a pair with the query, if the hit has labels of the same kind as the query. A pair has the same topic or error
 * if it shares a label, and the same structure if the questions share half of their words and signs, numbers aside.
 * DUPLICATE and SAME_QUESTION_NEW_SKIN are right for the same structure, SAME_TRAP for the same error, SAME_IDEA for
 * the same topic. RELATED claims nothing: its row counts the pairs without another verdict.
 */
import type { Card, NewCard } from '../src/domain/card.js';
import { type SearchSubject } from '../src/domain/search.js';
import { VERDICTS, type Verdict } from '../src/domain/search-result.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { BUILTIN_SETTINGS, requestBy } from '../src/search/profile.js';
import { lexemes } from '../src/text/lexemes.js';
import { cardsOf } from './card-files.js';
import { memoryEngine } from './memory-engine.js';
import { benchmark, type Row, readArguments } from './run.js';

const QUERIES = 50;
const RANKS = [1, 2, 5, 10];
/** Of the words and signs of both questions together. */
const SAME_STRUCTURE = 0.5;

function sharesAny(a: readonly string[], b: readonly string[]): boolean {
  return a.some((label) => b.includes(label));
}

/** The different words and characters of a question, or its numbers, sorted. */
function partsOf(text: string, ofNumbers: boolean): readonly string[] {
  const parts = lexemes(text).filter(({ kind }) => (kind === 'number') === ofNumbers);
  return [...new Set(parts.flatMap((part) => (part.kind === 'han' ? [...part.text] : [part.text])))].sort();
}

function sameStructure(a: string, b: string): boolean {
  const [these, those] = [partsOf(a, false), partsOf(b, false)];
  const shared = these.filter((part) => those.includes(part)).length;
  return shared >= SAME_STRUCTURE * (these.length + those.length - shared);
}

const RIGHT: Readonly<Record<Verdict, (query: NewCard, hit: Card) => boolean>> = {
  DUPLICATE: (query, hit) => sameStructure(query.questionText, hit.questionText),
  SAME_QUESTION_NEW_SKIN: (query, hit) => sameStructure(query.questionText, hit.questionText),
  SAME_TRAP: (query, hit) => sharesAny(query.errorTypes, hit.errorTypes),
  SAME_IDEA: (query, hit) => sharesAny(query.topicTags, hit.topicTags),
  RELATED: () => true,
};

class Counts {
  readonly #counts = new Map<Verdict, { given: number; right: number }>();

  add(verdict: Verdict, isRight: boolean): void {
    const { given, right } = this.#counts.get(verdict) ?? { given: 0, right: 0 };
    this.#counts.set(verdict, { given: given + 1, right: right + (isRight ? 1 : 0) });
  }

  get rows(): readonly Row[] {
    return VERDICTS.map((verdict) => {
      const { given, right } = this.#counts.get(verdict) ?? { given: 0, right: 0 };
      return { verdict, right, given, precision: given === 0 ? '' : right / given };
    });
  }
}

const { files } = readArguments({}, 1);
await benchmark(async (run) => {
  const counts = { 'asked by text': new Counts(), 'asked as cards': new Counts() };
  for (const file of files) {
    const cards = await cardsOf(file);
    const labelled = cards.filter(({ topicTags, errorTypes }) => topicTags.length + errorTypes.length > 0);
    const step = Math.max(1, Math.floor(labelled.length / QUERIES));
    const engine = await memoryEngine(cards);
    for (const query of labelled.filter((_, place) => place % step === 0).slice(0, QUERIES)) {
      const cardId = `${query.id}`;
      const byError = query.errorTypes.length > 0;
      const text = byError ? `${query.questionText}\n${query.studentSolutionText ?? ''}` : query.questionText;
      const operation = byError ? 'byError' : 'hybridSearch';
      const look = async (count: Counts, subject: SearchSubject): Promise<void> => {
        const asked = { operation, subject, filter: { excludeCardIds: [cardId] } } as const;
        const request = requestBy(BUILTIN_SETTINGS, asked, Math.max(...RANKS));
        const { hits } = await engine.search(DEFAULT_VIEWER, request, run.signal);
        for (const { rank, card, verdict } of hits) {
          const isLabelled = byError ? card.errorTypes.length > 0 : card.topicTags.length > 0;
          if (RANKS.includes(rank) && isLabelled) count.add(verdict, RIGHT[verdict](query, card));
        }
      };
      await look(counts['asked by text'], { kind: 'text', text });
      await look(counts['asked as cards'], { kind: 'card', cardId });
    }
  }
  for (const [name, { rows }] of Object.entries(counts)) run.report(name, rows);
});
