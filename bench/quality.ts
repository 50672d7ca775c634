/**
 * How good are the answers beside plain BM25 over the question's words?
 *
 *     npm run bench -- quality CARDS.jsonl GOLDEN.jsonl
 *
 * CARDS: one card a line, in the fields of CreateCardInput. GOLDEN: `{ operation, text, relevant: [{ cardId, grade }] }`, for
 * queries whose own cards are not among the cards. Everything goes through the API of a gateway of its own.
 *
 * nDCG@10: gain = grade, discount 1 / log2(rank + 1), ideal over all relevant cards. MRR: of the first relevant hit among 50.
 * Each half of the queries is shown by itself too, so that a gain which one half owes to chance is seen.
 *
 * A lexicalShare of 0 asks the vectors alone, 1 the words and the labels. Plain BM25: k1 1.2, b .75, over the words of the
 * question, for errors with the wrong solution beside it.
 */

import { readFile } from 'node:fs/promises';
import { StartupError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';
import { Bm25Index } from '../src/lexical/bm25.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { type BenchGateway, loadCards, startBenchGateway } from './gateway.js';
import { benchmark, type Run } from './run.js';

interface Case {
  readonly operation: string;
  readonly text: string;
  readonly relevant: readonly { readonly cardId: string; readonly grade: number }[];
}

interface CardLine {
  readonly id: string;
  readonly questionText: string;
  readonly studentSolutionText?: string;
}

type Rank = (one: Case) => Promise<readonly string[]>;

const HITS = 50;
const LIMIT = 10;

async function linesOf<T>(file: string | undefined): Promise<readonly T[]> {
  if (file === undefined)
    throw new StartupError('usage: npm run bench -- quality CARDS.jsonl GOLDEN.jsonl', EXIT.usage);
  const text = await readFile(file, 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as T]));
}

/** Through the API, with options. */
function searching({ ask }: BenchGateway, options: object): Rank {
  return async ({ operation, text }) => {
    const query = `query ($text: String!, $topK: Int, $options: SearchOptions) {
      found: ${operation}(text: $text, topK: $topK, options: $options) { hits { card { id } } }
    }`;
    const variables = { text, topK: HITS, options };
    const { found } = await ask<{ found: { hits: readonly { card: { id: string } }[] } }>(query, variables);
    return found.hits.map(({ card }) => card.id);
  };
}

/** The first card with an id stands, as in the gateway. */
function plainBm25(cards: readonly CardLine[]): Rank {
  const tokenizer = new Tokenizer();
  const questions = new Bm25Index();
  const attempts = new Bm25Index();
  for (const { id, questionText, studentSolutionText = '' } of [...cards].reverse()) {
    questions.set(id, tokenizer.tokens(questionText));
    attempts.set(id, tokenizer.tokens(`${questionText}\n${studentSolutionText}`));
  }
  return async ({ operation, text }) => {
    const index = operation === 'byError' ? attempts : questions;
    return index.search(tokenizer.tokens(text), HITS).map(({ cardId }) => cardId);
  };
}

interface Quality {
  readonly ndcg: number;
  readonly mrr: number;
}

/** By case, in their order. */
async function measure(run: Run, name: string, cases: readonly Case[], rank: Rank): Promise<readonly Quality[]> {
  const measured: Quality[] = [];
  for await (const one of run.each(name, 'queries', cases)) {
    const grades = new Map(one.relevant.map(({ cardId, grade }) => [cardId, grade]));
    const gained = (await rank(one)).map((id) => grades.get(id) ?? 0);
    const ideal = [...grades.values()].sort((a, b) => b - a);
    const first = gained.findIndex((grade) => grade > 0);
    measured.push({ ndcg: discounted(gained) / discounted(ideal), mrr: first < 0 ? 0 : 1 / (first + 1) });
  }
  return measured;
}

function mean(measured: readonly Quality[]): Quality {
  const of = (key: keyof Quality): number => measured.reduce((sum, one) => sum + one[key], 0) / measured.length;
  return { ndcg: of('ndcg'), mrr: of('mrr') };
}

function discounted(grades: readonly number[]): number {
  return grades.slice(0, LIMIT).reduce((sum, grade, place) => sum + grade / Math.log2(place + 2), 0);
}

const cards = await linesOf<CardLine>(process.argv[2]);
const cases = await linesOf<Case>(process.argv[3]);
await benchmark(async (run) => {
  const gateway = await startBenchGateway(run);
  await loadCards(run, gateway, cards);
  const plain = await measure(run, 'plain BM25', cases, plainBm25(cards));
  const rankings: Readonly<Record<string, Rank>> = {
    'as by default': searching(gateway, {}),
    'without threshold steps': searching(gateway, { thresholdSteps: [0] }),
    'in layers': searching(gateway, { strategy: 'LAYERED' }),
    'vectors alone': searching(gateway, { lexicalShare: 0 }),
    'words and labels': searching(gateway, { lexicalShare: 1 }),
  };
  const parts = [() => true, (place: number) => place % 2 === 0, (place: number) => place % 2 === 1];
  const show = (name: string, measured: readonly Quality[]): void => {
    const figures = parts.map((isIn) => {
      const isChosen = (_: Quality, place: number): boolean => isIn(place);
      const [{ ndcg, mrr }, beside] = [mean(measured.filter(isChosen)), mean(plain.filter(isChosen))];
      return `${ndcg.toFixed(3)} (${(ndcg / beside.ndcg).toFixed(2)} x) ${mrr.toFixed(3)}`;
    });
    console.log(`${name.padEnd(26)}${figures.map((one) => one.padEnd(24)).join('')}`);
  };
  console.log(`${cases.length} queries, ${new Set(cases.map(({ operation }) => operation)).size} operation(s)`);
  console.log(
    `${'nDCG@10 (x plain), MRR'.padEnd(26)}${['all', 'even lines', 'odd lines'].map((one) => one.padEnd(24)).join('')}`,
  );
  show('plain BM25', plain);
  for (const [name, rank] of Object.entries(rankings)) show(name, await measure(run, name, cases, rank));
});
