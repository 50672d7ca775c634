import type { Foreground } from '../domain/background.js';
import { RateLimitedError } from '../domain/errors.js';
import { groupedBy } from '../domain/grouped.js';
import type { SearchEngine } from '../domain/ports/gateway.js';
import type { SearchRequest } from '../domain/search.js';
import type { SearchResult } from '../domain/search-result.js';
import { Turns } from '../domain/turns.js';
import { ownerKey, type Viewer } from '../domain/viewer.js';

/**
 * Concurrent searches. Most of a search keeps one thread busy, so that more would not be faster, only all late. With 3,
 * `npm run bench -- load --cards 3000 --rate 100` answered a third as many on two busy cores.
 */
export const CONCURRENCY = 6;

/** A search that would wait longer is refused at once: too little of its two seconds would be left. */
export const MAX_WAIT_MS = 800;

/** The weight of the latest search in the moving average of how long searches take. */
const LATEST_SHARE = 0.1;

/** A search that runs or waits for its turn. */
interface Admitted {
  readonly viewer: Viewer;
  readonly refused: AbortController;
  isWaiting: boolean;
}

/**
 * Admission control: runs so many searches at once, queues as many, in order of arrival, as will have their turn in
 * time, and refuses the others, so that under overload those that are admitted are still answered. Whoever has many
 * searches takes no place that a school or viewer with fewer wants: a waiting one is refused instead. The only search
 * of a viewer goes before further ones of others.
 */
export class AdmissionControl implements SearchEngine {
  readonly #turns = new Turns(CONCURRENCY);
  readonly #admitted = new Set<Admitted>();
  /** 0 before the first search: then none is refused. */
  #meanMs = 0;

  /** `nowMs` is a monotonic clock. */
  constructor(
    private readonly engine: SearchEngine,
    private readonly foreground: Pick<Foreground, 'begin' | 'end'>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** As the engine's; RateLimitedError under overload, the signal's reason if it aborts before the search's turn. */
  async search(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const displaced = this.#displacedBy(viewer);
    if (displaced !== null) {
      this.#admitted.delete(displaced);
      displaced.refused.abort(new RateLimitedError('search', MAX_WAIT_MS));
    }
    const isOnly = ![...this.#admitted].some((one) => ownerKey(one.viewer) === ownerKey(viewer));
    const own: Admitted = { viewer, refused: new AbortController(), isWaiting: true };
    this.#admitted.add(own);
    this.foreground.begin();
    const begin = (): Promise<SearchResult> => {
      own.isWaiting = false;
      return this.#timed(viewer, request, signal);
    };
    try {
      const urgency = isOnly ? 'interactive' : 'bulk';
      return await this.#turns.run(begin, urgency, AbortSignal.any([signal, own.refused.signal]));
    } finally {
      this.#admitted.delete(own);
      this.foreground.end();
    }
  }

  async #timed(viewer: Viewer, request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
    const started = this.nowMs();
    let answered = false;
    try {
      const result = await this.engine.search(viewer, request, signal);
      answered = true;
      return result;
    } finally {
      const tookMs = this.nowMs() - started;
      // A search that failed at once says nothing of how long others take; one that ran out of time does.
      if (answered || tookMs > this.#meanMs) this.#count(tookMs);
    }
  }

  /** RateLimitedError if a search of this viewer that came now would wait too long. */
  refuseOverload(viewer: Viewer): void {
    this.#displacedBy(viewer);
  }

  /**
   * The waiting search that must make room for one of this viewer; null if there is room. RateLimitedError if there is
   * neither.
   */
  #displacedBy(viewer: Viewer): Admitted | null {
    if (!this.#turns.areTaken) return null;
    const waitMs = ((this.#turns.waiting + 1) * this.#meanMs) / CONCURRENCY;
    if (waitMs <= MAX_WAIT_MS) return null;
    const ofTenants = groupedBy(this.#admitted, ({ viewer: { tenantId } }) => tenantId);
    const ofOwners = groupedBy(this.#admitted, ({ viewer: owner }) => ownerKey(owner));
    const tenantHas = ({ tenantId }: Viewer): number => ofTenants.get(tenantId)?.length ?? 0;
    const ownerHas = (owner: Viewer): number => ofOwners.get(ownerKey(owner))?.length ?? 0;
    const hasMore = (other: Viewer): boolean =>
      other.tenantId === viewer.tenantId
        ? ownerHas(other) > ownerHas(viewer) + 1
        : tenantHas(other) > tenantHas(viewer) + 1;
    const [found] = [...this.#admitted]
      .filter((one) => one.isWaiting && hasMore(one.viewer))
      // The latest of those who have most.
      .reverse()
      .sort((a, b) => tenantHas(b.viewer) - tenantHas(a.viewer) || ownerHas(b.viewer) - ownerHas(a.viewer));
    if (found === undefined) throw new RateLimitedError('search', Math.ceil(waitMs));
    return found;
  }

  #count(tookMs: number): void {
    this.#meanMs += (this.#meanMs === 0 ? 1 : LATEST_SHARE) * (tookMs - this.#meanMs);
  }
}
