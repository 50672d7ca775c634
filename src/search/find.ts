import type { CardFilterStore, MatchingCard } from '../domain/ports/cards.js';
import { yieldTurn } from '../domain/steps.js';
import { chancesOf, coverLabels, coversLabels } from './cover.js';
import { type Cut, cut, type Thresholds } from './cut.js';
import { type Fused, fuse } from './fuse.js';
import { type Labelled, labelCandidates } from './label.js';
import type { LaneWeights } from './lanes.js';
import { type Layered, type LayeredParts, retrieveByLayers } from './layered.js';
import { cardsNamed } from './query/label-lookup.js';
import { type Candidates, filterCandidates, type Retrievable, retrieve, scorable, votingOf } from './retrieve.js';
import { type Scored, scoreCards } from './score.js';
import { poolSize } from './select.js';
import type { Stopwatch } from './timing.js';

/** From so many candidates on, the event loop has a turn between two stages. */
const MANY_CANDIDATES = 5_000;

/** Cards read beyond those wanted, in place of cards that do not match any more. */
const SPARE = 5;

export interface FindParts extends LayeredParts {
  readonly filters: CardFilterStore;
}

/** The candidates; `layerOf` is null unless they were retrieved layer by layer. */
type Collected = Candidates & Omit<Layered, 'layerOf'> & { readonly layerOf: Layered['layerOf'] | null };

interface Hydrated {
  /** Candidates with their cards as PostgreSQL has them now. */
  readonly pool: readonly (MatchingCard & { readonly row: number })[];
  /** The ids of those that PostgreSQL does not let through. */
  readonly gone: readonly string[];
}

/** The best cards of a search, before reranking and selection. */
export interface Found extends Hydrated {
  readonly collected: Collected;
  readonly scored: Scored;
  readonly labelled: Labelled;
  readonly fused: Fused;
  readonly taken: Cut;
  /** Whether the first cards are not in the order of their scores: see {@link coverLabels}. */
  readonly coversLabels: boolean;
}

export interface FindInput {
  readonly search: Retrievable;
  readonly weights: LaneWeights;
  readonly thresholds: Thresholds;
}

/** The stages of the read path from candidate retrieval to reading the best cards. */
export async function find(
  parts: FindParts,
  { search, weights, thresholds }: FindInput,
  watch: Stopwatch,
  signal: AbortSignal,
): Promise<Found> {
  const { viewer, request, index, generation, query } = search;
  const { pause = yieldTurn } = parts;
  const collected = await collect(parts, search, thresholds.layers, watch, signal);
  const isAsked = (lane: number): boolean => weights[lane] !== 0;
  const scored = await watch.time('score', () =>
    scoreCards(parts, search, { cardIds: scorable(collected), query, isAsked }, signal),
  );
  const labelled = await watch.time('label', () =>
    labelCandidates(scored.matrix, weights, query, index, { rule: request, among: collected }),
  );
  const { matrix } = labelled;
  // Two stages that look at every candidate: 20 ms each for a student's search of 20,000 own cards.
  if (matrix.cardIds.length > MANY_CANDIDATES) await pause();
  const fused = await watch.time('fuse', () => fuse(matrix, weights, request.fusion));
  if (matrix.cardIds.length > MANY_CANDIDATES) await pause();
  const { taken, rows } = await watch.time('cut', () => {
    const named = cardsNamed(search, matrix.cardIds);
    const layerSteps = collected.layerOf === null ? null : collected.tried;
    const covers = coversLabels(request, named);
    const asked = { request, thresholds, weights, query, named, index, layerSteps, admitsAll: covers };
    const admitted = cut({ ...asked, labelled, fused });
    const chances = chancesOf(matrix.cardIds, labelled.posteriors, weights, index);
    return { taken: admitted, rows: covers ? coverLabels(admitted.rows, chances) : admitted.rows };
  });
  signal.throwIfAborted();
  const hydrated = await watch.time('hydrate', () => {
    const wanted = { rows, cardIds: matrix.cardIds, wanted: poolSize(request) };
    // The request's own filter: `scope.filter` also names the query card and stale cards, whose survivors must not be
    // excluded.
    const { filter } = request;
    return hydrate((ids) => parts.filters.matching(viewer, filter, generation.number, ids, signal), wanted);
  });
  const isMoved = rows.some((row, place) => row !== taken.rows[place]);
  return { ...hydrated, collected, scored, labelled, fused, taken, coversLabels: isMoved };
}

async function collect(
  parts: FindParts,
  search: Retrievable,
  layerSteps: Thresholds['layers'],
  watch: Stopwatch,
  signal: AbortSignal,
): Promise<Collected> {
  if (search.request.strategy === 'LAYERED') {
    return watch.time('layers', async () => {
      const layered = await retrieveByLayers(parts, search, layerSteps, signal);
      const { voting, degraded } = await votingOf(parts, search, signal);
      return { ...layered, voting, degraded: [...layered.degraded, ...degraded] };
    });
  }
  const proposals = await watch.time('retrieve', () => retrieve(parts, search, signal));
  const candidates = await watch.time('filter', () => filterCandidates(parts, search, proposals, signal));
  return { ...candidates, layerOf: null, trials: [], tried: [], added: [] };
}

/** Of many cards, those that match in PostgreSQL. */
export type ReadMatching = (cardIds: readonly string[]) => Promise<ReadonlyMap<string, MatchingCard>>;

/**
 * The cards of the first `wanted` rows, in order, that PostgreSQL lets through: it is asked for more until there are as
 * many.
 */
export async function hydrate(
  matching: ReadMatching,
  {
    rows,
    cardIds,
    wanted,
  }: { readonly rows: readonly number[]; readonly cardIds: readonly string[]; readonly wanted: number },
): Promise<Hydrated> {
  const pool: Hydrated['pool'][number][] = [];
  const gone: string[] = [];
  for (let at = 0, size = wanted + SPARE; pool.length < wanted && at < rows.length; at += size, size *= 2) {
    const page = rows.slice(at, at + size);
    const found = await matching(page.map((row) => cardIds[row] as string));
    for (const row of page) {
      const cardId = cardIds[row] as string;
      const card = found.get(cardId);
      if (card === undefined) gone.push(cardId);
      else pool.push({ row, ...card });
    }
  }
  return { pool: pool.slice(0, wanted), gone };
}
