/**
 * Which threshold steps keep irrelevant hits out, and what do they lose?
 *
 *     npm run bench -- bands CARDS.jsonl GOLDEN.jsonl [CARDS.jsonl GOLDEN.jsonl ...]
 *
 * The files are those of `npm run bench -- quality`. Each collection is searched for its golden queries and, by the
 * same operation, for questions about unrelated subjects (bench/foreign.ts), whose right answer is an empty list.
 * Prints quantiles of the scores of the first 50 hits without any threshold. Then, for several lists of threshold
 * steps, with and without the no-answer gate (without its rules for formulas and for one shared word): nDCG@10 and MRR,
 * whose loss is the difference to the steps 0, the number of hits, the share of relevant ones among the first ten, and
 * the number of golden and unrelated queries with any hit. Steps descend until 5 hits reach one. The row `answered so`
 * has the gateway's defaults.
 */

import { readJsonLines } from '../src/cli/read-file.js';
import { discounted } from '../src/evaluation/metrics.js';
import { analyserOf } from '../src/lexical/terms.js';
import { thresholdsOf } from '../src/search/cut.js';
import { type AnswerSignals, passesNoAnswerGate } from '../src/search/no-answer-gate.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { FOREIGN_QUERIES } from './foreign.js';
import { type BenchGateway, loadCards, startBenchGateway } from './gateway.js';
import { type Case, casesOf, pairsOf } from './golden-quality.js';
import { percentile } from './measure.js';
import { benchmark, type Row, type Run, readArguments } from './run.js';

interface Hit {
  readonly score: number;
  readonly grade: number;
}

/** A query with its hits, best first. */
interface Asked {
  readonly hits: readonly Hit[];
  readonly evidence: AnswerSignals;
  /** The grades of all relevant cards, best first. */
  readonly ideal: readonly number[];
}

interface FoundLane {
  readonly kind: string;
  readonly score: number;
  readonly weight: number;
  readonly contribution: number;
}

interface FoundHit {
  readonly score: number;
  readonly card: { readonly id: string };
  readonly lanes: readonly FoundLane[];
}

const HITS = 50;
const LIMIT = 10;
const MIN_RESULTS = 5;
const QUANTILES = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];

const BUILTIN = thresholdsOf('builtin');
const CANDIDATES: readonly (readonly number[])[] = [
  [0],
  BUILTIN.steps,
  [0.15, 0.1, 0.05],
  [0.2, 0.15, 0.1],
  [0.3, 0.2, 0.1],
  [0.5, 0.35, 0.2],
  [0.7, 0.6, 0.5],
];

const tokenizer = new Tokenizer();

async function search(
  { ask }: BenchGateway,
  cards: number,
  { operation, text, relevant }: Case,
  options: object,
): Promise<Asked> {
  const query = `query ($text: String!, $topK: Int, $options: SearchOptions) {
    found: ${operation}(text: $text, topK: $topK, options: $options) {
      hits { score card { id } lanes { kind score weight contribution } }
    }
    suggestTags(text: $text, first: 1) { score }
  }`;
  const answer = await ask<{
    found: { hits: readonly FoundHit[] };
    suggestTags: readonly { readonly score: number }[];
  }>(query, { text, topK: HITS, options });
  const grades = new Map(relevant.map(({ cardId, grade }) => [cardId, grade]));
  const terms = new Set(analyserOf(tokenizer)(text)).size;
  const { hits } = answer.found;
  return {
    hits: hits.map(({ score, card }) => ({ score, grade: grades.get(card.id) ?? 0 })),
    evidence: {
      byTexts: Math.max(0, ...hits.map(byTexts)),
      byLabel: answer.suggestTags[0]?.score ?? 0,
      byTerms: Math.max(0, ...hits.flatMap(({ lanes }) => lanes.filter(isAskedLexical).map(({ score }) => score))),
      terms,
      cards,
    },
    ideal: [...grades.values()].sort((a, b) => b - a),
  };
}

function isAskedLexical({ kind, weight }: FoundLane): boolean {
  return kind === 'LEXICAL' && weight > 0;
}

/** The score without the part of the inferred lanes. */
function byTexts({ lanes }: FoundHit): number {
  const ofTexts = lanes.filter(({ kind }) => kind !== 'INFERRED').reduce((sum, one) => sum + one.contribution, 0);
  const inferred = lanes.filter(({ kind }) => kind === 'INFERRED').reduce((sum, one) => sum + one.weight, 0);
  return ofTexts / (1 - inferred);
}

function steppedDown(hits: readonly Hit[], steps: readonly number[]): readonly Hit[] {
  let kept: readonly Hit[] = hits;
  for (const step of steps) {
    kept = hits.filter(({ score }) => score >= step);
    if (kept.length >= MIN_RESULTS) break;
  }
  return kept;
}

interface Quality {
  readonly ndcg: number;
  readonly mrr: number;
  readonly hits: number;
  /** Of the first ten hits of answered queries. */
  readonly precision: number;
  readonly answered: number;
}

function qualityOf(asked: readonly Asked[], keep: (one: Asked) => readonly Hit[]): Quality {
  let ndcg = 0;
  let mrr = 0;
  let hits = 0;
  let precision = 0;
  let answered = 0;
  for (const one of asked) {
    const kept = keep(one);
    hits += kept.length;
    if (kept.length === 0) continue;
    answered += 1;
    const first = kept.slice(0, LIMIT);
    precision += first.filter(({ grade }) => grade > 0).length / first.length;
    if (one.ideal.length > 0) ndcg += discounted(kept.map(({ grade }) => grade)) / discounted(one.ideal);
    const found = kept.findIndex(({ grade }) => grade > 0);
    if (found >= 0) mrr += 1 / (found + 1);
  }
  const { length } = asked;
  return { ndcg: ndcg / length, mrr: mrr / length, hits: hits / length, precision: precision / answered, answered };
}

function quantiles([scores, hits]: readonly [string, readonly Hit[]]): Row {
  const values = hits.map(({ score }) => score);
  const shares = QUANTILES.map((share) => [`p${share * 100}`, percentile(values, share)]);
  return { scores, hits: values.length, ...Object.fromEntries(shares) };
}

async function askAll(
  run: Run,
  gateway: BenchGateway,
  cards: number,
  cases: readonly Case[],
  options: object,
): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  for await (const one of run.each('asking', 'queries', cases)) asked.push(await search(gateway, cards, one, options));
  return asked;
}

async function measure(
  run: Run,
  gateway: BenchGateway,
  { name, cards, cases }: { readonly name: string; readonly cards: number; readonly cases: readonly Case[] },
): Promise<void> {
  const operation = cases[0]?.operation ?? 'hybridSearch';
  const foreignCases = FOREIGN_QUERIES.map((text): Case => ({ operation, text, relevant: [] }));
  // minScore 0 returns every hit: steps do not apply then.
  const golden = await askAll(run, gateway, cards, cases, { minScore: 0 });
  const foreign = await askAll(run, gateway, cards, foreignCases, { minScore: 0 });
  const hits = golden.flatMap((one) => one.hits);
  const best = (asked: readonly Asked[]): readonly Hit[] => asked.flatMap((one) => one.hits.slice(0, 1));
  const kinds = {
    'relevant hits': hits.filter(({ grade }) => grade > 0),
    'irrelevant hits': hits.filter(({ grade }) => grade === 0),
    'best hits': best(golden),
    'best, foreign': best(foreign),
  };
  run.report(`${name}: scores`, Object.entries(kinds).map(quantiles));

  const rows: Row[] = [];
  const show = (name: string, of: readonly [golden: readonly Asked[], foreign: readonly Asked[]], keep: Keep): void => {
    const { ndcg, mrr, hits, precision, answered } = qualityOf(of[0], keep);
    const figures = { 'nDCG@10': ndcg, MRR: mrr, hits, 'relevant of ten': precision, answered };
    rows.push({ steps: name, ...figures, 'foreign answered': qualityOf(of[1], keep).answered });
  };
  for (const steps of CANDIDATES) {
    const name = steps.join(' / ');
    show(name, [golden, foreign], (one) => steppedDown(one.hits, steps));
    show(`${name}, with evidence`, [golden, foreign], (one) =>
      passesNoAnswerGate(one.evidence, BUILTIN) ? steppedDown(one.hits, steps) : [],
    );
  }
  const defaults = [
    await askAll(run, gateway, cards, cases, {}),
    await askAll(run, gateway, cards, foreignCases, {}),
  ] as const;
  show('answered so', defaults, (one) => one.hits);
  run.report(`${name}: ${golden.length} golden queries, ${foreign.length} foreign ones`, rows);
}

type Keep = (one: Asked) => readonly Hit[];

const collections = pairsOf(readArguments({}, 2).files);
await benchmark(async (run) => {
  for (const [cardFile, goldenFile] of collections) {
    const cards = (await readJsonLines(cardFile)).map(({ value }) => value);
    const cases = await casesOf(goldenFile);
    const gateway = await startBenchGateway(run);
    await loadCards(run, gateway, cards);
    await measure(run, gateway, { name: goldenFile, cards: cards.length, cases });
    await gateway.close();
  }
});
