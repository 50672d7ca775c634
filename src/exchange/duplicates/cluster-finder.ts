import { LRUCache } from 'lru-cache';
import type { TakeTurn } from '../../domain/background.js';
import { type Card, questionOf } from '../../domain/card.js';
import type { DuplicateCluster } from '../../domain/duplicates.js';
import { BadInputError } from '../../domain/errors.js';
import { slicesOf } from '../../domain/grouped.js';
import { filterFacts, listCursor, listDigest, type Place, placeInList } from '../../domain/page.js';
import type { CardStore, PageRequest } from '../../domain/ports/cards.js';
import type { ImportStore } from '../../domain/ports/imports.js';
import type { CardFilter } from '../../domain/search.js';
import type { Viewer } from '../../domain/viewer.js';
import { MESSAGE_CHARS, type WorkerProgram } from '../../runtime/workers/protocol.js';
import { WorkerSpentError } from '../../runtime/workers/worker-process.js';
import type { Workers } from '../../runtime/workers/workers.js';
import { type ClusterOfIds, type ClusterPlace, comparePlaces, placeOf, questionHash } from './clusters.js';
import type { ClusterCalls } from './clusters.program.js';

/** Limits of one comparison: cards, and the length of their texts in UTF-16 units. */
const MAX_COMPARED = 20_000;
const MAX_COMPARED_CHARS = 20_000_000;
/** Cards a statement. */
const PAGE = 500;
/** Clusters that are read in the place of some whose cards are gone. */
const REFILL = 100;
/** How long clusters are kept for further pages, and how many card ids in total (150 bytes each). */
const KEPT_MS = 10 * 60_000;
const MAX_KEPT_IDS = 100_000;

/** {@link MAX_COMPARED} questions of usual length take a tenth of this. */
const PROGRAM: WorkerProgram = {
  module: 'src/exchange/duplicates/clusters.program.js',
  limits: { cpuMs: 20_000, memoryMb: 768 },
};

export type ListedCluster = DuplicateCluster & { readonly cursor: string };

export interface ClusterFinderParts {
  readonly cards: Pick<CardStore, 'byIds'>;
  readonly imports: Pick<ImportStore, 'duplicateCandidates' | 'compared'>;
  readonly workers: Pick<Workers, 'run'>;
  readonly takeTurn: TakeTurn;
}

/** Finds clusters of likely duplicates; a worker compares the questions. */
export class ClusterFinder {
  /** By viewer and filter. */
  readonly #kept = new LRUCache<string, readonly ClusterOfIds[]>({
    maxSize: MAX_KEPT_IDS,
    sizeCalculation: (clusters) => clusters.reduce((ids, cluster) => ids + cluster.ids.length, 1),
    ttl: KEPT_MS,
  });

  constructor(private readonly parts: ClusterFinderParts) {}

  /**
   * At most `first` clusters among the matching cards, the largest first, after the cursor. Further pages reuse the
   * comparison of the first one while it is kept. BadInputError if comparing takes too long, or `after` is no cursor.
   */
  async find(
    viewer: Viewer,
    filter: CardFilter,
    { first, after: cursor }: PageRequest,
    signal: AbortSignal,
  ): Promise<readonly ListedCluster[]> {
    const list = listDigest(viewer, ['duplicates', filterFacts(filter)]);
    const after = cursor === null ? null : placeInList(cursor, isClusterPlace, list);
    const kept = after === null ? undefined : this.#kept.get(list);
    const clusters = kept ?? (await this.#compare(viewer, filter, signal));
    if (kept === undefined) this.#kept.set(list, clusters);
    const left = after === null ? clusters : clusters.filter((one) => comparePlaces(after, placeOf(one)) < 0);
    const found: ListedCluster[] = [];
    // Only the last page may be short: others take the place of clusters whose cards are gone.
    for (let at = 0, size = first; at < left.length && found.length < first; at += size, size = REFILL)
      found.push(...(await this.#listed(viewer, list, left.slice(at, at + size), signal)));
    return found.slice(0, first);
  }

  #compare(viewer: Viewer, filter: CardFilter, signal: AbortSignal): Promise<readonly ClusterOfIds[]> {
    const { imports, workers } = this.parts;
    return workers
      .run<ClusterCalls, readonly ClusterOfIds[]>(
        {
          tenantId: viewer.tenantId,
          name: 'duplicates',
          program: PROGRAM,
          run: async (worker) => {
            const groups = await imports.duplicateCandidates(viewer, filter, signal);
            for await (const slice of this.#compared(viewer, groups)) await worker.call('add', slice);
            await worker.call('compare', groups);
            const clusters: ClusterOfIds[] = [];
            for (let more = await worker.call('clusters', 0); more.length > 0; ) {
              clusters.push(...more);
              more = await worker.call('clusters', clusters.length);
            }
            return clusters;
          },
        },
        signal,
      )
      .catch((thrown: unknown) => {
        if (!(thrown instanceof WorkerSpentError)) throw thrown;
        throw new BadInputError('filter', `matches more cards than can be compared: ${thrown.message}`);
      });
  }

  /** The clusters, without cards that were deleted, or got another question, meanwhile. */
  async #listed(
    viewer: Viewer,
    list: string,
    clusters: readonly ClusterOfIds[],
    signal: AbortSignal,
  ): Promise<readonly ListedCluster[]> {
    const found = await this.parts.cards.byIds(viewer, [...new Set(clusters.flatMap(({ ids }) => ids))], signal);
    return clusters
      .map((cluster) => {
        const { ids, hashes, exact, nearness } = cluster;
        const isChanged = (card: Card, place: number): boolean => questionHash(card) !== hashes[place];
        const first = found.get(String(ids[0]));
        // The others were compared with the first only.
        const isLeft = first === undefined || !isChanged(first, 0);
        const cards = ids.flatMap((id, place) => {
          const card = found.get(id);
          return card === undefined || isChanged(card, place) ? [] : [card];
        });
        return { cursor: listCursor(placeOf(cluster), list), cards: isLeft ? cards : [], exact, nearness };
      })
      .filter(({ cards }) => cards.length > 1);
  }

  async *#compared(viewer: Viewer, groups: readonly (readonly string[])[]) {
    const ids = [...new Set(groups.flat())].slice(0, MAX_COMPARED);
    let chars = 0;
    for (let at = 0; at < ids.length && chars < MAX_COMPARED_CHARS; at += PAGE) {
      const page = ids.slice(at, at + PAGE);
      const cards = await this.parts.takeTurn(() => this.parts.imports.compared(viewer, page));
      chars += cards.reduce((sum, card) => sum + questionOf(card).length, 0);
      yield* slicesOf(cards, (card) => questionOf(card).length + 100, MESSAGE_CHARS);
    }
  }
}

function isClusterPlace(values: Place): values is ClusterPlace {
  const [cards, nearness, id] = values;
  return values.length === 3 && typeof cards === 'number' && typeof nearness === 'number' && typeof id === 'string';
}
