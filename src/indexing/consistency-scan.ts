import { delay } from '../domain/async.js';
import type { GiveWay } from '../domain/background.js';
import { type ByPerspective, byPerspectiveAsync, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { VectorStore } from '../domain/ports/collections.js';
import type { AuditedCard, Generation, IndexAudit } from '../domain/ports/ledger.js';
import type { VectorCache } from '../domain/ports/vectors.js';
import { shuffled } from '../domain/shuffled.js';
import { cardOfRecord, differencesOf, keyOf, orphanRecordsAmong, type RecordOf } from './differences.js';
import { probeSelfRecall } from './self-recall-probe.js';

/** Cards, or records, compared at a time: reading them takes some tens of milliseconds on either side. */
const PAGE = 500;

/** Pause between two pages, in milliseconds, so that searches and writes go first: 20,000 cards take about 14 s. */
const PAUSE_MS = 100;

/** Sample of the self-recall probe: a share of the cards, within limits. */
const SAMPLE = { share: 0.01, least: 50, most: 200 } as const;

export interface ConsistencyScanParts {
  readonly audit: Pick<IndexAudit, 'totals' | 'page' | 'cards'>;
  readonly vectorStore: Pick<VectorStore, 'list' | 'labels' | 'count' | 'nearest' | 'read'>;
  readonly cache: Pick<VectorCache, 'get'>;
  readonly background: Pick<GiveWay, 'pause'>;
  /** In [0, 1); chooses the sample. */
  readonly random: () => number;
}

/** A generation for which all cards were compared without a difference. */
export interface Compared {
  /** {@link IndexTotals.state} at that time. */
  readonly state: string;
  /** The next scan compares the page after this card id; '' is the first page. */
  readonly after: string;
}

/** Differences of one generation from PostgreSQL; cards by id. */
export interface ConsistencyScan {
  /** Number of cards compared. */
  readonly cards: number;
  /** Cards with a missing record. */
  readonly missing: ReadonlySet<string>;
  /** Cards with a record of an earlier version, or another vector than was written. */
  readonly stale: ReadonlySet<string>;
  /** Cards with orphan records; most of them are deleted. */
  readonly orphans: ReadonlySet<string>;
  /** Orphan records of cards that are not in the ledger. */
  readonly orphanRecords: readonly RecordOf[];
  /** Number of cards searched for by their own vectors; 0 for a tenant whose vectors are in PostgreSQL. */
  readonly probed: number;
  /** Probed cards that were not found. */
  readonly unreachable: ReadonlySet<string>;
  /** Input of the next scan; null if a difference was found. */
  readonly compared: Compared | null;
}

/**
 * Compares one generation with the ledger and the cards, record by record, and changes nothing. If neither has changed
 * since `before`, only the next page of cards is compared, because all of 20,000 take 7 s of processor time; if that
 * page differs, or a collection has another number of records than it should, all cards are. UnavailableError,
 * IndexLostError.
 */
export async function scanConsistency(
  parts: ConsistencyScanParts,
  generation: Generation,
  signal: AbortSignal,
  before: Compared | null = null,
): Promise<ConsistencyScan> {
  const { state, records } = await parts.audit.totals(generation.tenantId, generation.number);
  const from = before?.state === state ? before.after : null;
  const { cards, missing, stale, gone, sample, next } = await compareCards(parts, generation, from, signal);
  const isSound = missing.size + stale.size + gone.size === 0;
  // If records are missing or stale, their number proves nothing.
  const crowded = isSound ? await otherThan(parts, generation, records) : PERSPECTIVES;
  if (from !== null && crowded.length > 0) return scanConsistency(parts, generation, signal);
  const orphanRecords = await findOrphans(parts, generation, crowded, signal);
  const { unreachable, altered } = await probeSelfRecall(parts, generation, sample, signal);
  const isWhole = isSound && orphanRecords.length + unreachable.size + altered.size === 0;
  return {
    cards,
    missing,
    stale: new Set([...stale, ...altered]),
    orphans: new Set([...gone, ...orphanRecords.map(({ recordId }) => cardOfRecord(recordId))]),
    orphanRecords,
    probed: generation.inChroma === false ? 0 : sample.length,
    unreachable,
    compared: isWhole ? { state, after: next } : null,
  };
}

interface CardsCompared extends Pick<ConsistencyScan, 'cards' | 'missing' | 'stale'> {
  /** Cards in the ledger that do not exist. */
  readonly gone: ReadonlySet<string>;
  /** Cards to probe, of those without a difference. */
  readonly sample: readonly AuditedCard[];
  /** The last card compared; '' after the last card of all. */
  readonly next: string;
}

/** Compares all cards (`from` is null), or the page of them after `from`. */
async function compareCards(
  parts: ConsistencyScanParts,
  generation: Generation,
  from: string | null,
  signal: AbortSignal,
): Promise<CardsCompared> {
  const missing = new Set<string>();
  const stale = new Set<string>();
  const gone = new Set<string>();
  // Not all of them: a tenant may have a million.
  const kept: AuditedCard[] = [];
  let whole = 0;
  let cards = 0;
  let next = from ?? '';
  for (;;) {
    const page = await parts.audit.page(generation.tenantId, generation.number, next, PAGE);
    const differences = await differencesOf(parts, generation, page);
    for (const [id, difference] of differences) ({ missing, stale, orphan: gone })[difference].add(id);
    cards += page.length;
    for (const card of page) {
      if (card.waiting || differences.has(card.cardId)) continue;
      whole += 1;
      const place = whole <= SAMPLE.most ? kept.length : Math.floor(parts.random() * whole);
      if (place < SAMPLE.most) kept[place] = card;
    }
    next = page.length < PAGE ? '' : (page.at(-1)?.cardId ?? '');
    if (next === '' || from !== null) break;
    await rest(parts, signal);
  }
  const size = Math.min(SAMPLE.most, Math.max(SAMPLE.least, Math.ceil(cards * SAMPLE.share)));
  const places = shuffled(kept.length, parts.random).slice(0, size);
  const sample = places.map((place) => kept[place] as AuditedCard);
  return { cards, missing, stale, gone, sample, next };
}

/** Perspectives whose collections have an unexpected number of records. */
async function otherThan(
  { vectorStore }: ConsistencyScanParts,
  generation: Generation,
  records: ByPerspective<number>,
): Promise<readonly Perspective[]> {
  const counts = await byPerspectiveAsync((perspective) => vectorStore.count(keyOf(generation, perspective)));
  return PERSPECTIVES.filter((perspective) => counts[perspective] !== records[perspective]);
}

/** Lists all before removing any, because removing shifts the offsets of the rest. */
async function findOrphans(
  parts: ConsistencyScanParts,
  generation: Generation,
  perspectives: readonly Perspective[],
  signal: AbortSignal,
): Promise<readonly RecordOf[]> {
  const orphans: RecordOf[] = [];
  for (const perspective of perspectives) {
    for (let offset = 0; ; offset += PAGE) {
      const ids = await parts.vectorStore.list(keyOf(generation, perspective), offset, PAGE);
      orphans.push(...(await orphanRecordsAmong(parts, generation, perspective, ids)));
      if (ids.length < PAGE) break;
      await rest(parts, signal);
    }
  }
  return orphans;
}

async function rest({ background }: Pick<ConsistencyScanParts, 'background'>, signal: AbortSignal): Promise<void> {
  await delay(PAUSE_MS, signal);
  await background.pause();
  signal.throwIfAborted();
}
