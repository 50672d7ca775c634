import type { Turns, Urgency } from '../domain/turns.js';
import type { Backend, Embedded } from './backend.js';
import type { Inference } from './inference/inference.js';
import type { LocalModel } from './inference/protocol.js';

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
