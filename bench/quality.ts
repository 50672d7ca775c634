/**
 * How good are search results, relative to simple methods?
 *
 *     npm run bench -- quality CARDS.jsonl GOLDEN.jsonl [CARDS.jsonl GOLDEN.jsonl ...]
 *         [SETTINGS.json] [--unlabelled SHARE] [--notebooks SIZE] [--learned]
 *
 * CARDS: one card per line, with the fields of CreateCardInput. GOLDEN: `{ operation, text, relevant: [{ cardId, grade
 * }] }` per line, for queries whose own cards are not among the cards. The search engine runs over cards in memory, as
 * in a gateway. SETTINGS: fields of a search profile that replace the defaults. `--unlabelled .5` removes all labels
 * from a random half of the cards, the same in every run. `--notebooks 30` splits the cards into random notebooks of
 * 30, the same in every run, and asks each query in every notebook that has relevant cards. `--learned` learns weights
 * from the cards, as a gateway does in the background, and adds the search with them; it also prints whether a gateway
 * would use them. The embedder is the built-in one, or that of `EMBEDDING_MODEL`, as in a gateway.
 *
 * nDCG@10: gain = grade, discount 1 / log2(rank + 1), ideal over all relevant cards. MRR: of the first relevant hit
 * among 50. Both with 95 % bootstrap intervals over the queries, and for each half of the queries, so that a chance
 * gain in one half is visible. Plain BM25: k1 1.2, b .75, every term 1; "question" is the question, for errors together
 * with the wrong solution. Label methods: .7 of a card's score is the square of its best label's share, the rest its
 * cosine.
 */

import { readFile } from 'node:fs/promises';
import { type NewCard, perspectiveTexts } from '../src/domain/card.js';
import { StartupError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';
import type { Embedder } from '../src/domain/ports/models.js';
import {
  LANES,
  laneName,
  type ProfileSettings,
  type SearchOperation,
  type SearchRequest,
} from '../src/domain/search.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { Bm25Index } from '../src/lexical/bm25.js';
import { TermDictionary } from '../src/lexical/term-dictionary.js';
import { topK } from '../src/lexical/top-k.js';
import { lanesOf, weightsOf } from '../src/search/lanes.js';
import { defaultSettings, requestBy } from '../src/search/profile.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { cardsOf } from './card-files.js';
import { configuredEmbedder } from './embedder.js';
import { type Case, casesOf, pairsOf, type Quality, qualityOf, withInterval } from './golden-quality.js';
import { LabelReferences } from './label-references.js';
import { learnFrom } from './learn-from.js';
import { type MemoryWorld, memoryWorld } from './memory-engine.js';
import { benchmark, type Row, readArguments } from './run.js';
import { casesAmong, notebooksOf, stripLabels } from './smaller-sets.js';

type LearnedSettings = ReadonlyMap<SearchOperation, ProfileSettings>;

/** By name: the best cards, best first. */
type Rankings = ReadonlyMap<string, readonly string[]>;

const HITS = 50;
const DEFAULT = 'as by default';

const tokenizer = new Tokenizer();
const tokensOf = (text: string | null): readonly string[] => (text === null ? [] : tokenizer.tokens(text));

/** BM25 of one text of each card, as the simple methods of the literature have it. */
class PlainIndex {
  readonly #index: Bm25Index;
  readonly #docs: Int32Array;

  constructor(cards: readonly NewCard[], textOf: (card: NewCard) => readonly (string | null)[]) {
    const numbers = new TermDictionary();
    this.#index = new Bm25Index({ cards: numbers });
    for (const card of cards) this.#index.set(`${card.id}`, textOf(card).flatMap(tokensOf));
    this.#docs = numbers.numbersByPlace(cards.map(({ id }) => `${id}`));
  }

  scores(text: string): Float64Array {
    return this.#index.queries.scores(tokenizer.tokens(text), this.#docs).map((one) => one || 0);
  }
}

class Collection {
  readonly #cards: readonly NewCard[];
  readonly #world: MemoryWorld;
  readonly #cardIds: readonly string[];
  readonly #labels: Readonly<Record<'topics' | 'errors', LabelReferences>>;
  readonly #plain: Readonly<Record<'question' | 'attempt' | 'reference' | 'labels' | 'all', PlainIndex>>;

  private constructor(cards: readonly NewCard[], world: MemoryWorld) {
    this.#cards = cards;
    this.#world = world;
    this.#cardIds = cards.map(({ id }) => `${id}`);
    const references = (
      labelsOf: (card: NewCard) => readonly string[],
      textsOf: (card: NewCard) => readonly (string | null)[],
    ): LabelReferences =>
      new LabelReferences(
        cards.map((card) => ({ tokens: textsOf(card).flatMap(tokensOf), labels: labelsOf(card) })),
        tokensOf,
      );
    this.#labels = {
      topics: references(
        ({ topicTags }) => topicTags,
        ({ questionText }) => [questionText],
      ),
      errors: references(
        ({ errorTypes }) => errorTypes,
        ({ questionText, studentSolutionText }) => [questionText, studentSolutionText],
      ),
    };
    this.#plain = {
      question: new PlainIndex(cards, (card) => [card.questionText]),
      attempt: new PlainIndex(cards, (card) => [card.questionText, card.studentSolutionText]),
      reference: new PlainIndex(cards, (card) => [card.goldSolutionBrief]),
      labels: new PlainIndex(cards, (card) => [...card.topicTags, ...card.errorTypes]),
      all: new PlainIndex(cards, (card) => Object.values(perspectiveTexts(card)).flat()),
    };
  }

  static async of(cards: readonly NewCard[], embedder: Embedder): Promise<Collection> {
    return new Collection(cards, await memoryWorld(cards, { hasColumns: false, embedder }));
  }

  /** Settings learned from the cards, by operation, used or not. Prints what a gateway would do with them. */
  async learn(defaults: ProfileSettings, signal: AbortSignal): Promise<LearnedSettings> {
    const { operations } = await learnFrom(this.#cards, this.#world, defaults, signal);
    return new Map(operations.map(({ operation, settings }) => [operation, settings]));
  }

  /** Every ranking of one query: the simple methods, each lane of the search alone, and the search. */
  async rank(
    { operation, text }: Case,
    settings: ProfileSettings,
    learned: LearnedSettings | null,
    signal: AbortSignal,
  ): Promise<Rankings> {
    const subject = { kind: 'text' as const, text };
    const requestWith = (changes: Partial<ProfileSettings>): SearchRequest =>
      requestBy({ ...settings, ...changes }, { operation, subject, filter: {} }, HITS);
    const search = async (changes: Partial<ProfileSettings>): Promise<readonly string[]> => {
      const { hits } = await this.#world.engine.search(DEFAULT_VIEWER, requestWith(changes), signal);
      return hits.map(({ card }) => card.id);
    };
    const rescorer = await this.#world.engine.rescorer(DEFAULT_VIEWER, requestWith({}), signal);
    const weights = weightsOf(lanesOf(requestWith({})));
    return new Map([
      ...this.#plainRankings(operation, text),
      ...LANES.flatMap((lane, place) =>
        (weights[place] as number) > 0 ? [[laneName(lane), rescorer.byLane(place, HITS)] as const] : [],
      ),
      ['without a cut', await search({ thresholdSteps: [0] })],
      [DEFAULT, await search({})],
      ...(learned === null ? [] : [['learned weights', await search(learned.get(operation) ?? {})] as const]),
    ]);
  }

  #plainRankings(operation: SearchOperation, text: string): readonly (readonly [string, readonly string[]])[] {
    const question = this.#plain[operation === 'byError' ? 'attempt' : 'question'].scores(text);
    const reference = this.#plain.reference.scores(text);
    const labels = this.#plain.labels.scores(text);
    const byLabels = this.#labels[operation === 'byError' ? 'errors' : 'topics'].scores(tokensOf(text));
    const sum = question.map((one, row) => one + (reference[row] as number) + (labels[row] as number));
    return [
      ['BM25 of the question', this.#best(question)],
      ['BM25 of all fields as one', this.#best(this.#plain.all.scores(text))],
      ['BM25 summed over fields', this.#best(sum)],
      ...Array.from(byLabels, ([name, scores]) => [name, this.#best(scores)] as const),
    ];
  }

  #best(scores: Float64Array): readonly string[] {
    const rows = topK(scores, HITS, this.#cardIds);
    return rows.filter((row) => (scores[row] as number) > 0).map((row) => this.#cardIds[row] as string);
  }
}

/** Of the query in this line, from 0. */
type LineQuality = Quality & { readonly line: number };

const PARTS: Readonly<Record<string, (one: LineQuality) => boolean>> = {
  'all lines': () => true,
  'even lines': ({ line }) => line % 2 === 0,
  'odd lines': ({ line }) => line % 2 === 1,
};

function rowOf([ranking, values]: readonly [string, readonly LineQuality[]]): Row {
  const cells = Object.entries(PARTS).flatMap(([name, isIn]) => {
    const part = values.filter(isIn);
    return [
      [`nDCG@10, ${name}`, withInterval(part.map(({ ndcg }) => ndcg))],
      [`MRR, ${name}`, withInterval(part.map(({ mrr }) => mrr))],
    ];
  });
  return { ranking, ...Object.fromEntries(cells) };
}

const { files, options } = readArguments({ unlabelled: 0, notebooks: 0, learned: false }, 2);
if (options.unlabelled > 1) throw new StartupError('--unlabelled takes a share from 0 to 1', EXIT.usage);
if (!Number.isInteger(options.notebooks)) throw new StartupError('--notebooks takes a whole number', EXIT.usage);
const settingsFile = files.find((one) => one.endsWith('.json'));
const changed = settingsFile === undefined ? {} : (JSON.parse(await readFile(settingsFile, 'utf8')) as object);
const collections = pairsOf(files.filter((one) => one !== settingsFile));
await benchmark(async (run) => {
  const embedder = await configuredEmbedder(run);
  for (const [cardFile, goldenFile] of collections) {
    const cases = await casesOf(goldenFile);
    const settings = { ...defaultSettings(embedder.model.name), ...changed };
    const measured = new Map<string, LineQuality[]>();
    const notebooks = notebooksOf(stripLabels(await cardsOf(cardFile), options.unlabelled), options.notebooks);
    const asked = notebooks.flatMap((cards) => casesAmong(cases, cards).map((query) => ({ cards, ...query })));
    let asking: { cards: readonly NewCard[]; collection: Collection; learned: LearnedSettings | null } | undefined;
    for await (const { cards, one, line } of run.each(`asking ${goldenFile}`, 'queries', asked)) {
      if (asking?.cards !== cards) {
        const collection = await Collection.of(cards, embedder);
        asking = { cards, collection, learned: options.learned ? await collection.learn(settings, run.signal) : null };
      }
      for (const [ranking, found] of await asking.collection.rank(one, settings, asking.learned, run.signal)) {
        measured.set(ranking, [...(measured.get(ranking) ?? []), { ...qualityOf(one.relevant, found), line }]);
      }
    }
    run.report(`${goldenFile}: ${measured.get(DEFAULT)?.length} queries`, [...measured].map(rowOf));
  }
});
