import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../config/package-root.js';
import type { Config } from '../config/settings.js';
import { type Closers, delay } from '../domain/async.js';
import type { NewCard } from '../domain/card.js';
import { parseNewCard } from '../domain/parse/card.js';
import type { IndexLedger } from '../domain/ports/ledger.js';
import type { TenantIndex } from '../domain/ports/lexical.js';
import { DEFAULT_VIEWER, type Viewer } from '../domain/viewer.js';
import type { Indexing } from '../indexing/create-indexing.js';
import { type WatchChromaParts, watchChroma } from './servers.js';

const PROGRESS_MS = 500;

export interface StartIndexingParts extends Pick<WatchChromaParts, 'servers' | 'chroma' | 'claim' | 'log'> {
  readonly config: Config;
  /** Creates cards in one transaction, except those whose ids exist; returns how many. */
  readonly createAll: (viewer: Viewer, cards: readonly (NewCard & { readonly id: string })[]) => Promise<number>;
  readonly ledger: Pick<IndexLedger, 'live' | 'counts'>;
  readonly indexing: Omit<Indexing<TenantIndex>, 'tenants'>;
  /** True if the gateway that used the data directory before was killed. */
  readonly abandoned: boolean;
  readonly announce: (line: string) => void;
  readonly closers: Closers;
  readonly signal: AbortSignal;
}

/** Returns when the default tenant has a live index. */
export async function startIndexing(parts: StartIndexingParts): Promise<void> {
  const { indexing, abandoned, closers, signal } = parts;
  const { reconciliation, vectorFill } = indexing;
  watchChroma({ ...parts, ...indexing });
  await indexing.start(closers, signal);
  await prepareIndex(parts);
  // Whoever was killed may have left the index in any state.
  reconciliation.start(abandoned ? 0 : undefined);
  vectorFill.start();
}

/**
 * Starts the indexer; at a first start loads the sample notebook before, if wanted, and waits for the first live index.
 * An interrupted first start has no live index, so the next one repeats all of it.
 */
async function prepareIndex(parts: StartIndexingParts): Promise<void> {
  const { config, ledger, indexing, announce, signal } = parts;
  const { generations, indexer } = indexing;
  const { tenantId } = DEFAULT_VIEWER;
  if ((await ledger.live(tenantId)) !== null) {
    indexer.start();
    return;
  }
  const wanted = config.seedSample ?? config.database.kind === 'embedded';
  if (wanted) announce(`Loading the sample notebook: ${await loadSample(parts)} cards`);
  await generations.writable(tenantId);
  indexer.start();
  let told = -1;
  while ((await ledger.live(tenantId)) === null) {
    signal.throwIfAborted();
    const counts = await ledger.counts(DEFAULT_VIEWER);
    const done = counts.cards - counts.pending;
    if (counts.cards > 0 && done !== told) announce(`Indexing: ${done} of ${counts.cards} cards`);
    told = done;
    const batch = new AbortController();
    const forget = indexer.onBatch(() => batch.abort());
    await delay(PROGRESS_MS, batch.signal, signal);
    forget();
  }
}

const FILES = ['notebook.zh.jsonl', 'notebook.en.jsonl'] as const;

/**
 * Stores the sample notebook; returns its number of cards. Existing cards are kept, so that an interrupted start can be
 * repeated. Each file is one transaction: one for each card took over ten times as long.
 */
async function loadSample({ createAll, signal }: StartIndexingParts): Promise<number> {
  let stored = 0;
  for (const file of FILES) {
    signal.throwIfAborted();
    const text = await readFile(join(packageRoot(), 'sample', file), 'utf8');
    const lines = text.split('\n').filter((line) => line !== '');
    const cards = lines.map((line, place) => {
      const card = parseNewCard(JSON.parse(line), `${file}:${place + 1}`);
      return { ...card, id: card.id as string };
    });
    stored += await createAll(DEFAULT_VIEWER, cards);
  }
  return stored;
}
