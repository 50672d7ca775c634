import type { Backend, Embedded } from './backend.js';
import type { Inference } from './inference/inference.js';
import type { LocalModel } from './inference/protocol.js';
import type { Turns, Urgency } from './turns.js';

/** What one run aims to take: so long, at most, does a query wait behind each run of the index. */
const RUN_MS = 50;

/** Texts a run at most: past this, more per run is no faster. */
const RUN_TEXTS = 32;

/** Before anything was measured, and how much a new measurement counts. */
const FIRST_CHARS = 400;
const NEW_SHARE = 0.2;

/** A model that the inference process runs. */
export class LocalBackend implements Backend {
  readonly turns: Turns;
  readonly #inference: Inference;
  readonly #model: LocalModel;
  /** Characters that fit {@link RUN_MS}, as far as is known. */
  #chars = FIRST_CHARS;

  constructor(inference: Inference, model: LocalModel) {
    this.turns = inference.turns;
    this.#inference = inference;
    this.#model = model;
  }

  readonly runLimits = (): { readonly texts: number; readonly chars: number } => ({
    texts: RUN_TEXTS,
    chars: this.#chars,
  });

  async run(texts: readonly string[], _urgency: Urgency, signal: AbortSignal): Promise<readonly Embedded[]> {
    const { values, width, problems, tookMs } = await this.#inference.run(
      { model: this.#model, query: null, texts },
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
