import type { TakeTurn } from '../../domain/background.js';
import type { GoldenCase } from '../../domain/golden.js';
import type { CardStore } from '../../domain/ports/cards.js';
import type { HeldOutQuality } from '../../domain/profile.js';
import type { ProfileSettings } from '../../domain/search.js';
import type { Engine } from '../../search/engine.js';
import { requestBy } from '../../search/profile.js';
import type { Rescorer } from '../../search/rescoring.js';
import { measure } from '../metrics.js';

/** A case with its lane scores, from which any settings can be evaluated without searching again. */
export interface RescoredCase extends Pick<GoldenCase, 'operation' | 'subject' | 'filter'> {
  readonly rescorer: Rescorer;
  /** Of the relevant cards in the notebook, by id. */
  readonly grades: ReadonlyMap<string, number>;
}

/** Best cards kept of each lane: as many as a search requests from each lane. */
export const KEPT = 100;

/** Hits that are measured: nDCG uses ten, MRR needs the first relevant one. */
export const DEPTH = 50;

/** Questions and topics are not measured here. */
const NO_FACTS = { questionKey: '', topics: [] };

export interface RescoredCasesParts {
  readonly rescorers: Pick<Engine, 'rescorer'>;
  readonly cards: Pick<CardStore, 'byIds'>;
  /** Yields to searches of clients. */
  readonly takeTurn: TakeTurn;
}

/** Measures settings on cases; repeated settings are answered from memory. */
export class RescoredCases {
  readonly #known = new Map<string, readonly HeldOutQuality[]>();

  constructor(
    private readonly parts: Pick<RescoredCasesParts, 'takeTurn'>,
    private readonly cases: readonly RescoredCase[],
  ) {}

  get size(): number {
    return this.cases.length;
  }

  /** Number of settings that were measured. */
  get tried(): number {
    return this.#known.size;
  }

  /** By case. */
  async quality(settings: ProfileSettings, signal: AbortSignal): Promise<readonly HeldOutQuality[]> {
    const key = JSON.stringify(settings);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { takeTurn } = this.parts;
    const values: HeldOutQuality[] = [];
    for (const one of this.cases) {
      signal.throwIfAborted();
      const hits = await takeTurn(() => one.rescorer.byRequest(requestBy(settings, one, DEPTH), DEPTH));
      const { ndcgAt10, mrr } = measure({ hits, grades: one.grades, factsOf: () => NO_FACTS, k: DEPTH });
      values.push({ ndcgAt10, mrr });
    }
    this.#known.set(key, values);
    return values;
  }

  /** By case. */
  async objective(settings: ProfileSettings, signal: AbortSignal): Promise<readonly number[]> {
    return (await this.quality(settings, signal)).map(objectiveOf);
  }
}

/** The mean of nDCG@10 and MRR, so that neither is traded for the other. */
export function objectiveOf({ ndcgAt10, mrr }: HeldOutQuality): number {
  return (ndcgAt10 + mrr) / 2;
}
