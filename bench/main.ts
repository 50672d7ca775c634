/**
 * Runs one benchmark; each file beside this one answers one question, which its first lines ask.
 *
 *     npm run bench -- NAME [options] [--json FILE]
 *
 * With --json the tables of results are written to FILE too.
 */
import { runCommand } from '../src/cli/run-command.js';
import { StartupError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';

/** The benchmarks by name, with what they measure. */
const benchmarks: Readonly<Record<string, readonly [measures: string, run: () => Promise<unknown>]>> = {
  ablation: ['what each part of the text analysis and the settings adds', () => import('./ablation.js')],
  bands: ['what least scores cost, and what they keep out', () => import('./bands.js')],
  cards: ['reading and writing one card', () => import('./cards.js')],
  costs: ['the parts of a search, by which plans are chosen', () => import('./costs.js')],
  difficulty: ['whether the cards most like a card tell how hard it is', () => import('./difficulty.js')],
  due: ['the list of due cards of a student with many attempts', () => import('./due.js')],
  duplicates: ['from which nearness on two questions are one', () => import('./duplicates.js')],
  embedding: ['embedding in a process of its own beside calling the model', () => import('./embedding.js')],
  evidence: ['how often a context refuses where there is no answer', printEvidenceShares],
  filters: ['what a filter costs a search', () => import('./filters.js')],
  idle: ['a gateway that nobody asks anything', () => import('./idle.js')],
  import: ['an import, and searches and memory meanwhile', () => import('./import.js')],
  indexing: ['building an index beside raw upserts', () => import('./indexing.js')],
  ladders: ['what simulated students learn by ladders beside random cards', () => import('./ladders.js')],
  learning: ['how long learning the weights of a notebook takes', printLearnedWeights],
  lexical: ['the BM25 index beside a naive one', () => import('./lexical.js')],
  load: ['requests at a fixed rate', () => import('./load.js')],
  'long-work': ['what others notice of long work', () => import('./long-work.js')],
  mastery: ['how well the next answers of students are predicted', () => import('./mastery.js')],
  'model-change': ['searches while an index for another model is built', () => import('./model-change.js')],
  owners: ["a student's first search among their own cards", () => import('./owners.js')],
  'own-words': ["how often descriptions in students' own words are answered", printOwnWords],
  pages: ['what a later page of a search costs beside the first', () => import('./pages.js')],
  profile: ['which functions a search spends its time in', () => import('./profile.js')],
  quality: ['nDCG@10 and MRR beside plain BM25', () => import('./quality.js')],
  reach: ['whether HNSW reaches every record by its own vector', () => import('./reach.js')],
  reliability: ['how often an inferred label is right', () => import('./reliability.js')],
  retrievers: ['exact retrieval beside Chroma, by size and embedder', () => import('./retrievers.js')],
  scale: ['what many tenants, or large ones, cost', () => import('./scale.js')],
  schedule: ['reviews predicted by FSRS, fitted to each student and by default', () => import('./schedule.js')],
  schools: ['small schools: disk, indexing, and the start of thousands', () => import('./schools.js')],
  search: ['a search over four perspectives beside raw Chroma queries', () => import('./search.js')],
  studio: ['how soon the studio can be used, and shows what is typed', () => import('./studio.js')],
  'tiny-models': ['nothing: it writes small models to FOLDER', writeModels],
  threads: ['searches with and without scoring threads', () => import('./threads.js')],
  tokens: ['the tokens of a context by other encodings', () => import('./tokens.js')],
  verdicts: ['how often a verdict is right', () => import('./verdicts.js')],
  words: ['how soon the words of a notebook are there at a start', () => import('./words.js')],
};

async function printOwnWords(): Promise<void> {
  const own = await import('./own-words.js');
  await own.printOwnWords(process.argv.slice(2));
}

async function printEvidenceShares(): Promise<void> {
  const evidence = await import('./evidence.js');
  await evidence.printEvidence(process.argv.slice(2));
}

async function printLearnedWeights(): Promise<void> {
  const learned = await import('./learned.js');
  await learned.printLearning(process.argv.slice(2));
}

async function writeModels(): Promise<void> {
  const { writeTinyModels } = await import('./tiny-models.js');
  await writeTinyModels(process.argv[2]);
}

await runCommand(async () => {
  // Benchmarks read their options from process.argv as if started directly.
  const [name = ''] = process.argv.splice(2, 1);
  const [, run] = (Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined) ?? [];
  if (run === undefined) {
    const lines = Object.entries(benchmarks).map(([known, [measures]]) => `  ${known.padEnd(14)}${measures}`);
    throw new StartupError(`usage: npm run bench -- NAME [options] [--json FILE]\n${lines.join('\n')}`, EXIT.usage);
  }
  await run();
});
