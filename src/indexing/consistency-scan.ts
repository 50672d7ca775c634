import { delay } from '../domain/async.js';
import { type ByPerspective, byPerspectiveAsync, PERSPECTIVES, type Perspective } from '../domain/perspective.js';
import type { RecordInspector, VectorReader } from '../domain/ports/collections.js';
import type { AuditedCard, Generation, IndexAudit } from '../domain/ports/ledger.js';
import type { VectorCache } from '../domain/ports/vectors.js';
import { cardOfRecord, differencesOf, keyOf, orphanRecordsAmong, type RecordOf } from './differences.js';
import { probeSelfRecall } from './self-recall-probe.js';

/** Cards, or records, compared at a time: read from either side in some tens of milliseconds. */
const PAGE = 500;

/** Between two pages, in milliseconds, so that searches and writes go first: 20,000 cards take about 14 s. */
const PAUSE_MS = 100;

/** Cards whose own vectors are tried: a hundredth of them, and at least, and at most, so many. */
const SAMPLE = { share: 0.01, least: 50, most: 200 } as const;

/** Dependencies of {@link scanConsistency}. */
export interface ConsistencyScanParts {
  readonly audit: Pick<IndexAudit, 'totals' | 'page' | 'cards'>;
  readonly inspector: Pick<RecordInspector, 'list' | 'labels' | 'count' | 'nearestToEach'>;
  readonly reader: Pick<VectorReader, 'read'>;
  readonly cache: Pick<VectorCache, 'get'>;
  /** 0 up to 1: which cards are sampled. */
  readonly random: () => number;
}

/** A generation that was compared with all cards, without a difference. */
export interface Compared {
  /** {@link IndexTotals.state} at that time. */
  readonly state: string;
  /** The next scan compares the page after this card id; '' is the first page. */
  readonly after: string;
}

/** How one generation differs from what PostgreSQL says; the cards by id. */
export interface ConsistencyScan {
  /** How many cards were compared. */
  readonly cards: number;
  /** Cards that lack a record. */
  readonly missing: ReadonlySet<string>;
  /** Cards with a record, or a vector, that is not theirs as they are. */
  readonly stale: ReadonlySet<string>;
  /** Cards with a record too many, most of them gone. */
  readonly orphans: ReadonlySet<string>;
  /** The records too many that no card of the ledger has. */
  readonly orphanRecords: readonly RecordOf[];
  /** How many cards were tried by their own vectors. */
  readonly probed: number;
  /** Those of them that these did not find. */
  readonly unreachable: ReadonlySet<string>;
  /** For the next scan; null where a difference was found. */
  readonly compared: Compared | null;
}

/**
 * Compares one generation with the ledger and the cards, record by record, and changes nothing. If neither has changed since
 * `before`, only the next page of cards is compared, because all of 20,000 take 7 s of processor time; if that page differs, or a
 * collection has another number of records than it should, all cards are. UnavailableError, IndexLostError.
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
  // Where records are missing or stale, their number says nothing.
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
    probed: sample.length,
    unreachable,
    compared: isWhole ? { state, after: next } : null,
  };
}

interface CardsCompared {
  readonly cards: number;
  readonly missing: Set<string>;
  readonly stale: Set<string>;
  /** Cards that the ledger has and PostgreSQL has not. */
  readonly gone: Set<string>;
  /** Cards to try, of those without a difference. */
  readonly sample: readonly AuditedCard[];
  /** The last card that was compared; '' after the last card of all. */
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
  const whole: AuditedCard[] = [];
  let cards = 0;
  let next = from ?? '';
  for (;;) {
    const page = await parts.audit.page(generation.tenantId, generation.number, next, PAGE);
    const differences = await differencesOf(parts, generation, page);
    for (const [id, difference] of differences) ({ missing, stale, orphan: gone })[difference].add(id);
    cards += page.length;
    whole.push(...page.filter(({ cardId, waiting }) => !waiting && !differences.has(cardId)));
    next = page.length < PAGE ? '' : (page.at(-1)?.cardId ?? '');
    if (next === '' || from !== null) break;
    await rest(signal);
  }
  const size = Math.min(SAMPLE.most, Math.max(SAMPLE.least, Math.ceil(cards * SAMPLE.share)));
  return { cards, missing, stale, gone, sample: sampleOf(whole, size, parts.random), next };
}

/** The perspectives whose collections have another number of records. */
async function otherThan(
  { inspector }: ConsistencyScanParts,
  generation: Generation,
  records: ByPerspective<number>,
): Promise<readonly Perspective[]> {
  const counts = await byPerspectiveAsync((perspective) => inspector.count(keyOf(generation, perspective)));
  return PERSPECTIVES.filter((perspective) => counts[perspective] !== records[perspective]);
}

/** Listed to the end before any is removed: what is removed moves the places of those behind it. */
async function findOrphans(
  parts: ConsistencyScanParts,
  generation: Generation,
  perspectives: readonly Perspective[],
  signal: AbortSignal,
): Promise<readonly RecordOf[]> {
  const orphans: RecordOf[] = [];
  for (const perspective of perspectives) {
    for (let offset = 0; ; offset += PAGE) {
      const ids = await parts.inspector.list(keyOf(generation, perspective), offset, PAGE);
      orphans.push(...(await orphanRecordsAmong(parts, generation, perspective, ids)));
      if (ids.length < PAGE) break;
      await rest(signal);
    }
  }
  return orphans;
}

/** So many of the cards, each as likely as any other. */
function sampleOf(cards: AuditedCard[], size: number, random: () => number): readonly AuditedCard[] {
  for (let place = 0; place < Math.min(size, cards.length); place += 1) {
    const other = place + Math.floor(random() * (cards.length - place));
    const [here, there] = [cards[place] as AuditedCard, cards[other] as AuditedCard];
    cards[place] = there;
    cards[other] = here;
  }
  return cards.slice(0, size);
}

async function rest(signal: AbortSignal): Promise<void> {
  await delay(PAUSE_MS, signal);
  signal.throwIfAborted();
}
