/**
 * Are error descriptions and questions in students' own words answered, and are cards found by a text in the other
 * language or in other words?
 *
 *     npm run bench -- own-words [--cases]
 *
 * Searches the sample notebook with `sample/descriptions.jsonl` (one half for development, `train-`, the other for the
 * test, `test-`) and `sample/paraphrases.jsonl` (`cross-language-` and `reworded-`), in this process and without
 * servers, with the default settings and the embedder of `EMBEDDING_MODEL`. A description is answered if one of its
 * cards is among the first 3 hits; if no card fits, any hit is an error. A paraphrase is found if one of its cards is
 * among the first 10 hits. `--cases` names the cases that fail.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../src/config/package-root.js';
import type { GoldenCase } from '../src/domain/golden.js';
import { readGoldenLines } from '../src/domain/parse/golden.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import type { Engine } from '../src/search/engine.js';
import { BUILTIN_SETTINGS, defaultSettings, requestBy } from '../src/search/profile.js';
import { sampleNotebook } from './card-files.js';
import { configuredEmbedder } from './embedder.js';
import { memoryWorld } from './memory-engine.js';
import { type Run, readOptions } from './run.js';

const FIRST = 3;
const TOP = 10;

/** Outcomes of the cases of one kind. */
export interface Share {
  readonly cases: number;
  readonly ids: readonly string[];
}

/** Kind of case -> the cases of that kind that are answered, get filler, or are found. */
export type Shares = Readonly<Record<string, Share>>;

/** The shares that the engine reaches on the descriptions and the paraphrases. */
export async function ownWords(engine: Engine, settings = BUILTIN_SETTINGS): Promise<Shares> {
  const hitsOf = async ({ operation, subject, filter }: GoldenCase): Promise<readonly string[]> => {
    const request = requestBy(settings, { operation, subject, filter }, TOP);
    const { hits } = await engine.search(DEFAULT_VIEWER, request, new AbortController().signal);
    return hits.map(({ card }) => card.id);
  };
  const shares: Record<string, Share> = {};
  const count = (kind: string, id: string, counts: boolean): void => {
    const { cases, ids } = shares[kind] ?? { cases: 0, ids: [] };
    shares[kind] = { cases: cases + 1, ids: counts ? [...ids, id] : ids };
  };
  for (const one of await goldenCases('descriptions.jsonl')) {
    const split = one.id.slice(0, one.id.lastIndexOf('-'));
    const hits = await hitsOf(one);
    if (one.judgements.length === 0) count(`${split}: filler`, one.id, hits.length > 0);
    else count(`${split}: answered`, one.id, isFound(one, hits.slice(0, FIRST)));
  }
  for (const one of await goldenCases('paraphrases.jsonl')) {
    const kind = one.id.slice(0, one.id.lastIndexOf('-'));
    count(`${kind}: found`, one.id, isFound(one, await hitsOf(one)));
  }
  return shares;
}

/** The golden cases of a file in `sample/`. */
export async function goldenCases(file: string): Promise<readonly GoldenCase[]> {
  return readGoldenLines(await readFile(join(packageRoot(), 'sample', file), 'utf8')).cases;
}

function isFound({ judgements }: GoldenCase, hits: readonly string[]): boolean {
  return judgements.some(({ cardId, grade }) => grade > 0 && hits.includes(cardId));
}

/** Reports the shares, and with `--cases` the cases that fail. */
export async function reportOwnWords(run: Run): Promise<void> {
  const options = readOptions({ cases: false });
  const embedder = await configuredEmbedder(run);
  const { engine } = await memoryWorld(await sampleNotebook(), { hasColumns: false, embedder });
  const shares = await ownWords(engine, defaultSettings(embedder.model.name));
  const cases = [...(await goldenCases('descriptions.jsonl')), ...(await goldenCases('paraphrases.jsonl'))];
  const rows = Object.entries(shares).map(([kind, { cases: all, ids }]) => ({
    kind,
    count: ids.length,
    of: all,
    share: ids.length / all,
  }));
  run.report('shares', rows);
  if (!options.cases) return;
  const failed = cases.flatMap(({ id, operation, subject, judgements }) => {
    const counted = Object.values(shares).some(({ ids }) => ids.includes(id));
    const text = subject.kind === 'text' ? subject.text : subject.cardId;
    return counted === (judgements.length === 0) ? [{ id, operation, text: text.slice(0, 80) }] : [];
  });
  run.report('cases that fail', failed);
}
