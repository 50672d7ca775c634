import { periodicLoop } from '../../domain/background-loop.js';
import { asError } from '../../domain/errors.js';
import type { LearnedProfileStore } from '../../domain/ports/evaluation.js';
import type { IndexLedger } from '../../domain/ports/ledger.js';
import type { Log } from '../../domain/ports/log.js';
import type { LearnedProfile } from '../../domain/profile.js';
import type { Viewer } from '../../domain/viewer.js';
import type { Learner } from './learner.js';
import { type LabelledCards, labelledCards } from './notebook-queries.js';

/** From the start to the first pass, and from one pass to the next, in ms. */
const FIRST_MS = 120_000;
const EVERY_MS = 300_000;

/** A notebook is learned from again when it has so many times the labelled cards of the last time. */
const GROWTH = 1.2;

/**
 * A notebook of which a larger share waits to be indexed is being imported: learning would take processor time from the
 * import, and be repeated as the notebook grows.
 */
const MAX_WAITING = 0.02;

/** A smaller notebook has too few queries to hold some out. */
const LEAST_CARDS = 120;

export interface LearningLoopParts {
  readonly store: LearnedProfileStore;
  /** The tenants whose index is in memory. */
  readonly tenants: {
    readonly open: ReadonlyMap<string, unknown>;
    load(tenantId: string, signal: AbortSignal): Promise<LabelledCards>;
  };
  readonly learner: Pick<Learner, 'learn'>;
  readonly ledger: Pick<IndexLedger, 'counts'>;
  /** The embedding model of this gateway. */
  readonly model: string;
  readonly onLearned: (tenantId: string) => void;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Learns the search profile of each tenant in memory, again when its notebook has grown by a fifth. A notebook that is
 * being imported waits for a later pass.
 */
export class LearningLoop {
  readonly #loop = periodicLoop(
    EVERY_MS,
    (signal) => this.pass(signal),
    (err) => this.parts.log.warn({ err }, 'search profiles could not be learned; the next pass retries'),
  );
  readonly close = this.#loop.close;

  constructor(private readonly parts: LearningLoopParts) {}

  start(): void {
    this.#loop.start(FIRST_MS);
  }

  /** One pass over the tenants in memory. A tenant that fails is logged, and the others follow. */
  async pass(signal: AbortSignal): Promise<void> {
    const { tenants, log } = this.parts;
    for (const tenantId of [...tenants.open.keys()]) {
      // It may have left memory meanwhile: loading it would drop the next one.
      if (!tenants.open.has(tenantId)) continue;
      try {
        await this.#learn(tenantId, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        log.warn({ err: asError(thrown), tenantId }, 'the search profile of a tenant could not be learned');
      }
    }
  }

  async #learn(tenantId: string, signal: AbortSignal): Promise<void> {
    const { store, tenants, learner, ledger, model, onLearned, log } = this.parts;
    const viewer: Viewer = { tenantId, ownerId: '', role: 'admin' };
    const index = await tenants.load(tenantId, signal);
    const cards = labelledCards(index).length;
    if (!isDue(cards, await store.find(viewer), model)) return;
    if ((await ledger.counts(viewer)).pending > MAX_WAITING * cards) return;
    if (!(await store.claim(tenantId))) return;
    const started = performance.now();
    try {
      const operations = await learner.learn(viewer, index, signal);
      await store.save(tenantId, { model, labelledCards: cards, operations });
      onLearned(tenantId);
      const used = operations.filter((one) => one.used).map(({ operation }) => operation);
      const tookMs = Math.round(performance.now() - started);
      log.info({ tenantId, labelledCards: cards, used, tookMs }, 'learned the search profile of a tenant');
    } catch (thrown) {
      // If this fails too, the claim expires.
      await store.release(tenantId).catch(() => undefined);
      throw thrown;
    }
  }
}

/** Whether a notebook of so many labelled cards is to be learned from. */
export function isDue(cards: number, last: LearnedProfile | null, model: string): boolean {
  if (cards < LEAST_CARDS) return false;
  return last === null || last.model !== model || cards >= GROWTH * last.labelledCards;
}
