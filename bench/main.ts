/**
 * Runs one benchmark. Each answers one question; the comment at the head of its file is its help text.
 *
 *     npm run bench -- NAME [options] [--json FILE]
 *     npm run bench -- NAME --help
 *
 * With --json the tables of results are also written to FILE.
 */
import { runCommand } from '../src/cli/run-command.js';
import { StartupError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';
import { benchmark } from './run.js';
import { asUsageError, helpOf } from './usage.js';

/** The benchmarks by name, with what they measure. */
const benchmarks: Readonly<Record<string, readonly [measures: string, run: () => Promise<unknown>]>> = {
  ablation: [
    'contribution of each part of the text analysis and of the default settings',
    () => import('./ablation.js'),
  ],
  bands: [
    'threshold steps and the no-answer gate: relevant hits lost, irrelevant ones kept out',
    () => import('./bands.js'),
  ],
  cards: ['reading and writing one card', () => import('./cards.js')],
  costs: ['the costs of parts of a search, by which the planner chooses', () => import('./costs.js')],
  difficulty: ['estimates of the difficulty of a card from its neighbours', () => import('./difficulty.js')],
  due: ['the list of due cards of a student with many attempts', () => import('./due.js')],
  duplicates: ['recognition of the same question, by similarity threshold', () => import('./duplicates.js')],
  embedding: [
    'embedding in a separate process, relative to calling the model directly',
    () => import('./embedding.js'),
  ],
  evidence: [
    'how often a tutoring context refuses where no card has the answer',
    async () => benchmark((await import('./evidence.js')).reportEvidence),
  ],
  filters: ['filtered searches, relative to unfiltered ones', () => import('./filters.js')],
  hints: [
    'leaks in hints that the guard misses, and useful hints that it holds back',
    async () => benchmark((await import('./hints.js')).reportHints),
  ],
  idle: ['processor time of a gateway without requests', () => import('./idle.js')],
  import: ['an import, with its effect on searches and memory', () => import('./import.js')],
  indexing: ['building an index, relative to raw upserts', () => import('./indexing.js')],
  ladders: ['what simulated students learn from ladders, relative to random cards', () => import('./ladders.js')],
  learning: ['processor time of learning the weights of searches', () => import('./learning.js')],
  load: ['latencies and refusals at fixed request rates', () => import('./load.js')],
  'long-work': ["effect of long work on other users' searches", () => import('./long-work.js')],
  mastery: ["prediction of students' next answers", () => import('./mastery.js')],
  'model-change': ['searches while an index for another embedding model is built', () => import('./model-change.js')],
  'own-words': [
    "descriptions in students' own words, paraphrases and questions in the other language",
    async () => benchmark((await import('./own-words.js')).reportOwnWords),
  ],
  owners: ["a student's first search of their own cards", () => import('./owners.js')],
  pages: ['later pages of a search, relative to the first', () => import('./pages.js')],
  profile: ['processor time of a search by stage and function', () => import('./profile.js')],
  quality: ['nDCG@10 and MRR, relative to plain BM25 and single lanes', () => import('./quality.js')],
  reach: ['whether HNSW finds every record by its own vector', () => import('./reach.js')],
  reliability: ['calibration of the posteriors of inferred labels', () => import('./reliability.js')],
  retrievers: ['exact retrieval and Chroma, by size and embedder', () => import('./retrievers.js')],
  scale: ['start, first searches and memory of many or large tenants', () => import('./scale.js')],
  schedule: ['prediction of reviews by FSRS, fitted parameters and defaults', () => import('./schedule.js')],
  schools: ['small schools: disk, indexing, and the start with thousands of them', () => import('./schools.js')],
  search: ['a search over four perspectives, relative to raw Chroma queries', () => import('./search.js')],
  studio: ['time until the studio is usable, and until it shows new results', () => import('./studio.js')],
  threads: ['searches with and without scoring threads', () => import('./threads.js')],
  'tiny-models': [
    'writes small ONNX models to FOLDER; measures nothing',
    async () => benchmark((await import('./tiny-models.js')).writeTinyModels),
  ],
  tokens: ['tokens of a context in the encodings of other models', () => import('./tokens.js')],
  verdicts: ['how often a verdict is right', () => import('./verdicts.js')],
  words: ['loading the lexical index at a start', () => import('./words.js')],
};

const USAGE = 'npm run bench -- NAME [options] [--json FILE]';

function list(): string {
  const lines = Object.entries(benchmarks).map(([name, [measures]]) => `  ${name.padEnd(14)}${measures}`);
  return `${USAGE}\nnpm run bench -- NAME --help\n\n${lines.join('\n')}`;
}

await runCommand(async () => {
  // Benchmarks read their options from process.argv as if started directly.
  const [name = ''] = process.argv.splice(2, 1);
  if (name === '--help') return console.log(list());
  const [, run] = (Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined) ?? [];
  if (run === undefined) throw new StartupError(`usage: ${list()}`, EXIT.usage);
  if (process.argv.includes('--help'))
    return console.log(`${helpOf(name)}\n\n--json FILE also writes the tables of results to FILE.`);
  await run().catch((thrown: unknown) => Promise.reject(asUsageError(name, thrown)));
});
