import type { ModelIdentity } from '../domain/ports/models.js';
import type { Turns, Urgency } from '../domain/turns.js';
import type { Inference } from './inference/inference.js';
import type { LocalModel } from './inference/protocol.js';

/** Test input for a model. */
export const PROBE = 'x = 1';

/** Embedding of one text: its vector, not yet validated, or the error. */
export type Embedded = Float32Array | Error;

/** A model in another process or behind a network. */
export interface Backend {
  /** Each run takes one. */
  readonly turns: Turns;
  /** Limits of one run, so that urgent texts wait only shortly. */
  runLimits(): { readonly texts: number; readonly chars: number };
  /**
   * One result for each text, in order. Rejects with UnavailableError if the model is unavailable, and with any other
   * error if one of the texts may be the cause.
   */
  run(texts: readonly string[], urgency: Urgency, signal: AbortSignal): Promise<readonly Embedded[]>;
}

/** Target duration of one run: the longest that a query waits behind a run of the indexer. */
const RUN_MS = 50;

/** Limit of texts in a run: more are no faster. */
const RUN_TEXTS = 32;

/** Initial value, and weight of a new measurement. */
const FIRST_CHARS = 400;
const NEW_SHARE = 0.2;

export class LocalBackend implements Backend {
  readonly turns: Turns;
  /** Estimate of the characters that fit into {@link RUN_MS}. */
  #chars = FIRST_CHARS;

  constructor(
    private readonly inference: Inference,
    private readonly model: LocalModel,
  ) {
    this.turns = inference.turns;
  }

  runLimits(): ReturnType<Backend['runLimits']> {
    return { texts: RUN_TEXTS, chars: this.#chars };
  }

  async run(texts: readonly string[], _urgency: Urgency, signal: AbortSignal): Promise<readonly Embedded[]> {
    const { values, width, problems, tookMs } = await this.inference.run(
      { model: this.model, query: null, texts },
      signal,
    );
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    const fits = (chars * RUN_MS) / Math.max(tookMs, 0.1);
    this.#chars = Math.max(1, (1 - NEW_SHARE) * this.#chars + NEW_SHARE * Math.min(fits, 2 * this.#chars));
    return problems.map((problem, place) =>
      problem === null ? new Float32Array(values.subarray(place * width, (place + 1) * width)) : new Error(problem),
    );
  }
}

/** Validates a vector: Chroma accepts any finite values, and a wrong vector would stay. */
export function validated(embedded: Embedded | undefined, { name, dims }: ModelIdentity): Embedded {
  if (embedded === undefined) return new Error('the model returned fewer vectors than texts');
  if (embedded instanceof Error) return embedded;
  if (embedded.length !== dims) return new Error(`${name} returned ${embedded.length} dimensions instead of ${dims}`);
  let squares = 0;
  for (const value of embedded) squares += value * value;
  if (Math.abs(squares - 1) < 1e-3) return embedded;
  return new Error(`${name} returned a vector of squared length ${squares} instead of 1`);
}
