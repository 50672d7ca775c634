import { batches } from '../domain/async.js';
import type { GiveWay } from '../domain/background.js';
import type { Card } from '../domain/card.js';
import { type CardVersion, type Generation, type IndexLedger, isVersion } from '../domain/ports/ledger.js';
import type { SnapshotStore, TenantIndex } from '../domain/ports/lexical.js';
import type { Log } from '../domain/ports/log.js';
import type { VectorCache } from '../domain/ports/vectors.js';
import { allSteps, inSteps, inTurns, yieldTurn } from '../domain/steps.js';

/** Cards in a statement: read in some 15 ms, while the previous ones are tokenised. */
const PAGE = 500;

type ForgottenFrom = Pick<VectorCache, 'cardIds' | 'revision' | 'remove'>;

export interface LoadTenantParts<Index> {
  readonly ledger: Pick<IndexLedger, 'cards' | 'generations' | 'versions' | 'revisions'>;
  /** Of a gateway that is not the only one on its database; else null. */
  readonly sharedCache: ForgottenFrom | null;
  readonly newIndex: () => Index;
  readonly store: Pick<SnapshotStore, 'read'>;
  readonly log: Pick<Log, 'info'>;
  readonly signal: AbortSignal;
}

/**
 * The lexical index of a tenant, with its indexed cards. Cards whose current version is in the snapshot are restored
 * from it, all others are read from PostgreSQL. Cards that changed while the index was not in memory are newer here
 * than their vectors until the indexer has caught up. Vectors that another gateway has replaced meanwhile are removed
 * from the cache, since searches accept whatever it has.
 */
export async function loadTenant<Index extends TenantIndex>(
  parts: LoadTenantParts<Index>,
  tenantId: string,
): Promise<Index> {
  const { ledger, store, sharedCache, log, signal } = parts;
  const started = performance.now();
  const [versions, copy] = await Promise.all([ledger.versions(tenantId), store.read(tenantId)]);
  signal.throwIfAborted();
  const index = parts.newIndex();
  if (copy !== null) {
    const isCurrent = (cardId: string, version: CardVersion): boolean => isVersion(versions.get(cardId), version);
    await inSteps(index.restore(copy, isCurrent), async () => {
      const partMs = await yieldTurn();
      signal.throwIfAborted();
      return partMs;
    });
  }
  const changed = cardsLacking(index, versions);
  const indexed = new Set<string>();
  if (changed.length > 0 || sharedCache !== null) {
    for (const generation of await ledger.generations({ tenantId })) {
      const revisions = await ledger.revisions(tenantId, generation.number);
      for (const cardId of revisions.keys()) indexed.add(cardId);
      if (sharedCache !== null) await forgetOutdated({ cache: sharedCache, signal }, generation, revisions);
    }
  }
  const lacking = changed.filter((cardId) => indexed.has(cardId)).sort();
  await indexCards({ ledger, signal, setSteps: (card) => index.setSteps(card) }, tenantId, lacking);
  const tookMs = Math.round(performance.now() - started);
  log.info({ tenantId, cards: versions.size, read: lacking.length, tookMs }, 'lexical index loaded');
  return index;
}

/** The cards of `versions` that are not indexed in exactly that version. */
export function cardsLacking(
  { cards }: Pick<TenantIndex, 'cards'>,
  versions: ReadonlyMap<string, CardVersion>,
): readonly string[] {
  const lacking = [...versions].filter(([id, version]) => !cards.holds(id, version));
  return lacking.map(([id]) => id);
}

/**
 * Removes the cached vectors of cards that are not indexed, as of deleted ones, and of other revisions than the indexed
 * ones: of earlier ones, or of later ones where a database was restored from a backup. Those of a card that is being
 * indexed now may be removed too, which is harmless: they are read again when a search needs them.
 */
export async function forgetOutdated(
  { cache, signal }: { readonly cache: ForgottenFrom; readonly signal: AbortSignal },
  { tenantId, number }: Generation,
  revisions: ReadonlyMap<string, number>,
): Promise<void> {
  const outdated: string[] = [];
  await inTurns(cache.cardIds(tenantId, number), (cardId) => {
    signal.throwIfAborted();
    if (cache.revision(tenantId, number, cardId) !== revisions.get(cardId)) outdated.push(cardId);
  });
  for (const page of batches(outdated, PAGE)) {
    signal.throwIfAborted();
    await cache.remove(tenantId, number, page);
  }
}

/** Reads the cards and indexes them, a few at a time; deleted ones are skipped. */
export async function indexCards(
  {
    ledger,
    signal,
    setSteps,
    background,
  }: {
    readonly ledger: Pick<IndexLedger, 'cards'>;
    readonly signal: AbortSignal;
    readonly setSteps: (card: Card) => Generator<void>;
    /** Absent while someone waits for the cards. */
    readonly background?: Pick<GiveWay, 'pause'>;
  },
  tenantId: string,
  cardIds: readonly string[],
): Promise<void> {
  const pages = [...batches(cardIds, PAGE)];
  const readPage = async (page: number) => ledger.cards(tenantId, pages[page] ?? []);
  let next = pages.length > 0 ? readPage(0) : null;
  for (let page = 1; next !== null; page += 1) {
    const cards = [...(await next).values()];
    signal.throwIfAborted();
    next = page < pages.length ? readPage(page) : null;
    // A read that fails while these cards are indexed is thrown by the await above, not as an unhandled rejection.
    next?.catch(() => undefined);
    await inSteps(allSteps(cards, setSteps), background?.pause, signal);
  }
}
