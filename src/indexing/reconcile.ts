import { PERSPECTIVES } from '../domain/perspective.js';
import { delay } from '../lifecycle.js';
import type {
  AuditedCard,
  Generation,
  IndexAudit,
  Reconciliation,
  RecordInspector,
  VectorCache,
  VectorReader,
  VectorWriter,
} from '../ports.js';
import { cardOfRecord, differencesOf, expectedRecords, ghostsAmong, keyOf, type RecordOf } from './differences.js';
import { probeReach } from './reach.js';

/** Cards, or records, compared at a time: read from either side in some tens of milliseconds. */
const PAGE = 500;

/** Between two pages, in milliseconds, so that searches and writes go first: 20,000 cards take about 20 s. */
const PAUSE_MS = 100;

/** Cards repaired a pass, which the indexer writes in some seconds; more are left for the next pass. */
const MAX_REPAIRS = 500;

/** Cards whose own vectors are tried: a hundredth of them, and at least, and at most, so many. */
const SAMPLE = { share: 0.01, least: 50, most: 200 } as const;

/** What reconciliation asks and how it repairs. */
export interface ReconcileParts {
  readonly audit: IndexAudit;
  readonly inspector: RecordInspector;
  readonly reader: VectorReader;
  readonly writer: Pick<VectorWriter, 'remove' | 'removeCards'>;
  readonly cache: Pick<VectorCache, 'get'>;
  /** 0 up to 1: which cards are sampled. */
  readonly random: () => number;
}

/** What one pass came to. */
export interface Pass {
  readonly found: Reconciliation;
  /** Cards that were found and could not be repaired in this pass. */
  readonly left: number;
}

/**
 * Compares one generation with the ledger, card by card and record by record, and repairs what differs: records that no card
 * has are removed, and whatever a card lacks is written by the indexer, for which the card is marked. Each repair comes
 * before its mark: whoever was just writing the card does it once more. Without effect on an index that is whole.
 */
export async function reconcile(parts: ReconcileParts, generation: Generation, signal: AbortSignal): Promise<Pass> {
  const { cards, missing, stale, gone, sample } = await compareCards(parts, generation, signal);
  const ghosts = await findGhosts(parts, generation, signal);
  const reach = await probeReach(parts, generation, sample, signal);
  const ghostCards = new Set([...gone, ...ghosts.map(({ recordId }) => cardOfRecord(recordId))]);
  for (const id of reach.altered) stale.add(id);

  const broken = [...new Set([...ghostCards, ...missing, ...stale, ...reach.unreachable])];
  const repaired = new Set(broken.slice(0, MAX_REPAIRS));
  signal.throwIfAborted();
  await removeRecords(
    parts,
    generation,
    ghosts.filter(({ recordId }) => repaired.has(cardOfRecord(recordId))),
  );
  await disownRecords(parts, generation, [...repaired]);
  await parts.audit.mark(generation.tenantId, [...repaired].filter(isCardId));
  const found = {
    finishedAt: new Date(),
    cards,
    missing: missing.size,
    stale: stale.size,
    ghosts: ghostCards.size,
    probed: sample.length,
    unreachable: reach.unreachable.size,
    repaired: repaired.size,
  };
  return { found, left: broken.length - repaired.size };
}

interface Compared {
  readonly cards: number;
  readonly missing: Set<string>;
  readonly stale: Set<string>;
  /** Cards that the ledger has and PostgreSQL has not. */
  readonly gone: Set<string>;
  /** Cards to try, of those without a difference. */
  readonly sample: readonly AuditedCard[];
}

async function compareCards(parts: ReconcileParts, generation: Generation, signal: AbortSignal): Promise<Compared> {
  const missing = new Set<string>();
  const stale = new Set<string>();
  const gone = new Set<string>();
  const whole: AuditedCard[] = [];
  let cards = 0;
  for (let after = ''; ; ) {
    const page = await parts.audit.page(generation.tenantId, generation.number, after, PAGE);
    const differences = await differencesOf(parts, generation, page);
    for (const [id, difference] of differences) ({ missing, stale, ghost: gone })[difference].add(id);
    cards += page.length;
    whole.push(...page.filter(({ cardId, waiting }) => !waiting && !differences.has(cardId)));
    after = page.at(-1)?.cardId ?? after;
    if (page.length < PAGE) break;
    await rest(signal);
  }
  const size = Math.min(SAMPLE.most, Math.max(SAMPLE.least, Math.ceil(cards * SAMPLE.share)));
  return { cards, missing, stale, gone, sample: sampleOf(whole, size, parts.random) };
}

/** Listed to the end before any is removed: what is removed moves the places of those behind it. */
async function findGhosts(
  parts: ReconcileParts,
  generation: Generation,
  signal: AbortSignal,
): Promise<readonly RecordOf[]> {
  const ghosts: RecordOf[] = [];
  for (const perspective of PERSPECTIVES) {
    for (let offset = 0; ; offset += PAGE) {
      const ids = await parts.inspector.list(keyOf(generation, perspective), offset, PAGE);
      ghosts.push(...(await ghostsAmong(parts, generation, perspective, ids)));
      if (ids.length < PAGE) break;
      await rest(signal);
    }
  }
  return ghosts;
}

async function removeRecords(
  { writer }: ReconcileParts,
  generation: Generation,
  records: readonly RecordOf[],
): Promise<void> {
  for (const perspective of PERSPECTIVES) {
    const ids = records.filter((record) => record.perspective === perspective).map(({ recordId }) => recordId);
    if (ids.length > 0) await writer.remove(keyOf(generation, perspective), ids);
  }
}

/**
 * All records of the cards: where one is wrong, the vectors of the others are not believed either. Which records a card has that
 * the ledger knows nothing of, nobody knows: they are removed.
 */
async function disownRecords(
  { audit, inspector, writer }: ReconcileParts,
  generation: Generation,
  cardIds: readonly string[],
): Promise<void> {
  const cards = [...(await audit.cards(generation.tenantId, generation.number, cardIds)).values()];
  for (const perspective of PERSPECTIVES) {
    const ids = cards.flatMap((card) => [...expectedRecords(card, perspective).keys()]);
    if (ids.length > 0) await inspector.disown(keyOf(generation, perspective), ids);
    const unknown = cards.filter(({ indexed }) => indexed === null).map(({ cardId }) => cardId);
    if (unknown.length > 0) await writer.removeCards(keyOf(generation, perspective), unknown);
  }
}

/** A record that was put there under another name than ours is removed, and there is no card to index. */
function isCardId(id: string): boolean {
  return id !== '';
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
