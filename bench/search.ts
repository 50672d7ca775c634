/**
 * What does a search over four perspectives cost beside the vector server's own work?
 *
 *     npm run bench [-- CARDS [ROUNDS]]
 *
 * One run, one notebook, one Chroma: `hybridSearch` through GraphQL, unfiltered and with three filters; one raw Chroma query
 * for 100 neighbours in one collection, as many as each lane asks for; and what a developer would write without a planner:
 * the four lanes at once with the filters as Chroma's `where`, fused by weight from the distances, no cards read.
 */
import { ChromaClient, type Collection, type Where } from 'chromadb';
import { PERSPECTIVES } from '../src/domain/perspective.js';
import { BuiltinEmbedder } from '../src/models/builtin.js';
import { WordWeights } from '../src/text/word-weights.js';
import { Tokenizer } from '../src/text/words.js';
import { load, startBenchGateway } from './gateway.js';
import { compare, percentile } from './measure.js';
import { notebook } from './notebook.js';

const CARDS = Number(process.argv[2] ?? 20_000);
const ROUNDS = Number(process.argv[3] ?? 200);
const NEIGHBOURS = 100;
const TOP_K = 10;
const WEIGHTS = { question: 0.5, solution: 0.2, concept: 0.2, error: 0.1 };
const FILTER = { grade: 'G6', subject: 'math', difficultyMin: 3 };
const WHERE: Where = {
  $and: [{ grade: FILTER.grade }, { subject: FILTER.subject }, { difficulty: { $gte: FILTER.difficultyMin } }],
};

const SEARCH = `query ($text: String!, $weights: PerspectiveWeights, $topK: Int, $filter: CardFilter) {
  hybridSearch(text: $text, weights: $weights, topK: $topK, filter: $filter) {
    hits { rank score card { id questionText } lanes { perspective score contribution } }
    receipt { filterPlan matchedByFilter candidates stages { stage tookMs } }
  }
}`;

interface Receipt {
  readonly filterPlan: string;
  readonly matchedByFilter: number | null;
  readonly candidates: number;
  readonly stages: readonly { readonly stage: string; readonly tookMs: number }[];
}

/** A gateway with its notebook, and the four collections behind it. */
interface Stage {
  readonly search: (text: string, filter: object | null) => Promise<Receipt>;
  readonly collections: readonly Collection[];
  readonly close: () => Promise<void>;
}

async function setStage(): Promise<Stage> {
  const gateway = await startBenchGateway();
  await load(gateway, notebook(CARDS));
  const client = new ChromaClient({ host: '127.0.0.1', port: Number(new URL(gateway.chromaUrl).port) });
  const all = await client.listCollections();
  const collections = PERSPECTIVES.map((perspective) => {
    const found = all.find(({ name }) => name.endsWith(`-${perspective}`));
    if (found === undefined) throw new Error(`no collection for ${perspective}`);
    return found;
  });
  return {
    collections,
    close: () => gateway.close(),
    search: async (text, filter) => {
      const variables = { text, weights: WEIGHTS, topK: TOP_K, filter };
      return (await gateway.ask<{ hybridSearch: { receipt: Receipt } }>(SEARCH, variables)).hybridSearch.receipt;
    },
  };
}

/** The four lanes at once, each with the filters as `where`, fused by weight: no card is read, nothing is scored exactly. */
async function searchByWhere(collections: readonly Collection[], vector: number[]): Promise<readonly string[]> {
  const answers = await Promise.all(
    collections.map((collection) =>
      collection.query({ queryEmbeddings: [vector], nResults: NEIGHBOURS, where: WHERE, include: ['distances'] }),
    ),
  );
  const scores = new Map<string, number>();
  answers.forEach((answer, lane) => {
    const weight = Object.values(WEIGHTS)[lane] ?? 0;
    answer.ids[0]?.forEach((id, place) => {
      const card = id.slice(0, id.lastIndexOf('#'));
      scores.set(card, (scores.get(card) ?? 0) + weight * (1 - (answer.distances[0]?.[place] ?? 1)));
    });
  });
  const ranked = [...scores].sort((a, b) => b[1] - a[1]);
  return ranked.slice(0, TOP_K).map(([id]) => id);
}

const stage = await setStage();
try {
  const embedder = new BuiltinEmbedder(new Tokenizer(), new WordWeights());
  const texts = notebook(ROUNDS, 2).map(({ questionText }) => questionText);
  const vectors = (await embedder.embed(texts, 'query', 'question', new AbortController().signal)).map((vector) => [
    ...vector,
  ]);
  const [question] = stage.collections;
  if (question === undefined) throw new Error('no question collection');
  const text = (round: number): string => texts[round % texts.length] ?? '';
  const vector = (round: number): number[] => vectors[round % vectors.length] ?? [];

  const times = await compare(ROUNDS, {
    'one raw Chroma query': (round) =>
      question.query({ queryEmbeddings: [vector(round)], nResults: NEIGHBOURS, include: ['distances'] }),
    'hybridSearch, unfiltered': (round) => stage.search(text(round), null),
    'hybridSearch, three filters': (round) => stage.search(text(round), FILTER),
    'four lanes with where': (round) => searchByWhere(stage.collections, vector(round)),
  });
  const raw = percentile(times['one raw Chroma query'] ?? [], 0.5);
  for (const [name, all] of Object.entries(times)) {
    const [p50, p95] = [percentile(all, 0.5), percentile(all, 0.95)];
    console.log(
      `${name.padEnd(28)} p50 ${p50.toFixed(1).padStart(7)} ms   p95 ${p95.toFixed(1).padStart(7)} ms   ${(p50 / raw).toFixed(2)} x raw`,
    );
  }
  const filtered = percentile(times['hybridSearch, three filters'] ?? [], 0.5);
  const where = percentile(times['four lanes with where'] ?? [], 0.5);
  console.log(`three filters: ${(where / filtered).toFixed(1)} x faster than where`);
  for (const filter of [null, FILTER]) {
    const { filterPlan, matchedByFilter, candidates, stages } = await stage.search(text(0), filter);
    const parts = stages.map(({ stage: name, tookMs }) => `${name} ${tookMs.toFixed(1)}`).join(', ');
    console.log(`${filterPlan}, ${matchedByFilter ?? 'all'} cards match, ${candidates} scored: ${parts} ms`);
  }
} finally {
  await stage.close();
}
