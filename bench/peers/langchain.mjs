/**
 * What does the same search take with LangChain.js, and how good is its answer?
 *
 *     cd bench/peers && npm install && node langchain.mjs CARDS.jsonl GOLDEN.jsonl
 *     cd bench/peers && npm install && node langchain.mjs [--cards 50000] [--rounds 10] [--data DIR]
 *
 * The first measures nDCG@10 and the times on cards with known answers; the second the times alone on a made-up
 * notebook, which stays in DIR for the next run. The peer is what its documentation shows for hybrid search: a Chroma
 * vector store and a BM25 retriever in an EnsembleRetriever, half and half, 100 candidates each, over the same cards,
 * with the same vectors, on the same Chroma. Its BM25 splits at white space, so it is given the words that Errata's
 * tokenizer finds; without that it would find nothing in Chinese. A card is one document: its question, solutions and
 * labels. Both rank in one run, in turn.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { EnsembleRetriever } from '@langchain/classic/retrievers/ensemble';
import { BM25Retriever } from '@langchain/community/retrievers/bm25';
import { Chroma } from '@langchain/community/vectorstores/chroma';
import { Document } from '@langchain/core/documents';
import { Embeddings } from '@langchain/core/embeddings';
import { loadCards, startBenchGateway } from '../../dist/bench/gateway.js';
import { compare, percentile } from '../../dist/bench/measure.js';
import { notebook } from '../../dist/bench/notebook.js';
import { benchmark, range } from '../../dist/bench/run.js';
import { BuiltinEmbedder } from '../../dist/src/models/builtin.js';
import { Tokenizer } from '../../dist/src/text/tokenizer.js';
import { WordWeights } from '../../dist/src/text/word-weights.js';

const CANDIDATES = 100;
const TOP_K = 10;

/** Documents that are added to the store at once. */
const BATCH = 500;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cards: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '10' },
    data: { type: 'string' },
  },
});

const tokenizer = new Tokenizer();
const embedder = new BuiltinEmbedder(tokenizer, new WordWeights());
const { signal } = new AbortController();

/** Errata's built-in embedder as LangChain asks for one. */
class BuiltinEmbeddings extends Embeddings {
  async embedDocuments(texts) {
    const vectors = await embedder.embed(texts, 'passage', 'question', signal);
    return vectors.map((vector) => [...vector]);
  }

  async embedQuery(text) {
    const [vector] = await embedder.embed([text], 'query', 'question', signal);
    return [...vector];
  }
}

const words = (text) => tokenizer.tokens(text).join(' ');

function textOf(card) {
  const { questionText, studentSolutionText, goldSolutionBrief, topicTags, errorTypes } = card;
  const texts = [questionText, studentSolutionText, goldSolutionBrief, ...(topicTags ?? []), ...(errorTypes ?? [])];
  return texts.filter((text) => text != null).join('\n');
}

/** The peer over the cards; the first card with an id stands, as in Errata. */
async function ensembleOf(run, cards, chromaUrl) {
  const different = [...new Map([...cards].reverse().map((card) => [card.id, card])).values()];
  const documents = different.map(
    (card) => new Document({ pageContent: words(textOf(card)), metadata: { cardId: card.id } }),
  );
  const store = new Chroma(new BuiltinEmbeddings({}), { collectionName: 'langchain', url: chromaUrl });
  await store.ensureCollection();
  if ((await store.collection.count()) !== documents.length) {
    const starts = range(Math.ceil(documents.length / BATCH)).map((batch) => batch * BATCH);
    for await (const at of run.each('LangChain.js', 'batches', starts)) {
      const batch = documents.slice(at, at + BATCH);
      await store.addDocuments(batch, { ids: batch.map(({ metadata }) => metadata.cardId) });
    }
  }
  return new EnsembleRetriever({
    retrievers: [store.asRetriever(CANDIDATES), BM25Retriever.fromDocuments(documents, { k: CANDIDATES })],
    weights: [0.5, 0.5],
  });
}

const SEARCH = `query ($text: String!, $topK: Int) {
  hybridSearch(text: $text, topK: $topK) { hits { card { id } } }
}`;

async function linesOf(file) {
  const text = await readFile(file, 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** Gain = grade, discount 1 / log2(rank + 1), ideal over all relevant cards. */
function ndcg(ids, relevant) {
  const grades = new Map(relevant.map(({ cardId, grade }) => [cardId, grade]));
  const discounted = (gains) => gains.slice(0, TOP_K).reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0);
  const ideal = [...grades.values()].sort((a, b) => b - a);
  return discounted(ids.map((id) => grades.get(id) ?? 0)) / discounted(ideal);
}

const [cardsFile, goldenFile] = positionals;
const cards = cardsFile === undefined ? notebook(Number(options.cards)) : await linesOf(cardsFile);
const cases =
  goldenFile === undefined
    ? notebook(Number(options.rounds), 2).map(({ questionText }) => ({ text: questionText, relevant: [] }))
    : await linesOf(goldenFile);

await benchmark(async (run) => {
  const gateway = await startBenchGateway(run, options.data ?? null);
  await loadCards(run, gateway, cards);
  const ensemble = await ensembleOf(run, cards, gateway.chromaUrl);
  const rankings = {
    Errata: async ({ text }) => {
      const { hybridSearch } = await gateway.ask(SEARCH, { text, topK: TOP_K });
      return hybridSearch.hits.map(({ card }) => card.id);
    },
    'LangChain.js': async ({ text }) => {
      const found = await ensemble.invoke(words(text));
      return found.slice(0, TOP_K).map(({ metadata }) => metadata.cardId);
    },
  };
  const gains = Object.fromEntries(Object.keys(rankings).map((name) => [name, []]));
  const contestants = Object.fromEntries(
    Object.entries(rankings).map(([name, rank]) => [
      name,
      {
        run: async (round) => {
          const one = cases[round % cases.length];
          const ids = await rank(one);
          if (one.relevant.length > 0) gains[name][round % cases.length] = ndcg(ids, one.relevant);
        },
      },
    ]),
  );
  const times = await compare(run, cases.length, contestants);
  for (const [name, all] of Object.entries(times)) {
    const mean =
      gains[name].length === 0 ? '' : `   nDCG@10 ${(gains[name].reduce((a, b) => a + b) / cases.length).toFixed(3)}`;
    console.log(`${name.padEnd(14)} p50 ${percentile(all, 0.5).toFixed(1).padStart(8)} ms${mean}`);
  }
  const ratio = percentile(times['LangChain.js'], 0.5) / percentile(times.Errata, 0.5);
  console.log(`${cards.length} cards, ${cases.length} queries: Errata is ${ratio.toFixed(1)} times as fast`);
});
