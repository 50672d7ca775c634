import { AutoModel, AutoModelForSequenceClassification, AutoTokenizer, env, Tensor } from '@huggingface/transformers';
import { asError } from '../../domain/errors.js';
import { type LocalModel, type Outcome, type Pooling } from './protocol.js';

/**
 * Formats whose activations are quantised by their range in the whole run: a text's vector would depend on the other
 * texts of the run (cosine to itself down to .987), so each text is run alone.
 */
const ALONE: ReadonlySet<string> = new Set(['q8', 'int8', 'uint8', 'q4', 'q4f16', 'bnb4']);

/** Texts in a run, if texts can share one. */
const RUN_TEXTS = 32;

/** Encoded text: lists of equal length, by the name of the model's input. */
type Encoded = Readonly<Record<string, readonly number[]>>;

interface States {
  readonly dims: readonly number[];
  readonly data: ArrayLike<number>;
}

interface Run {
  (inputs: Record<string, Tensor>): Promise<Record<string, Tensor>>;
  dispose(): Promise<unknown>;
}
type Encode = (text: string, options: object) => Record<string, number[]>;

/** Restricts loading to local files; a missing one is an error. */
function onlyLocal(folder: string): void {
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.useFSCache = false;
  env.localModelPath = folder;
  env.logLevel = 50;
}

/** A model in memory with its tokenizer. */
export class LoadedModel {
  private constructor(
    private readonly model: LocalModel,
    private readonly encode: Encode,
    private readonly run: Run,
  ) {}

  static async load(model: LocalModel): Promise<LoadedModel> {
    onlyLocal(model.folder);
    const tokenizer = await AutoTokenizer.from_pretrained(model.repository, { local_files_only: true });
    const kind = model.pooling === null ? AutoModelForSequenceClassification : AutoModel;
    const run = await kind.from_pretrained(model.repository, {
      dtype: model.dtype,
      device: 'cpu',
      local_files_only: true,
      // Memory planned for one input shape does not help the next one.
      session_options: { enableMemPattern: false },
    });
    return new LoadedModel(model, tokenizer as unknown as Encode, run as unknown as Run);
  }

  async dispose(): Promise<void> {
    await this.run.dispose();
  }

  /**
   * Runs all texts, those of equal length together and never padded: apart from the rounding of 32-bit floats, no
   * text's result depends on the others.
   */
  async answer(query: string | null, texts: readonly string[], goOn: () => void): Promise<Omit<Outcome, 'tookMs'>> {
    const encoded = texts.map((text) => this.#encoded(query, text));
    const answers: (Float32Array | null)[] = texts.map(() => null);
    const problems: (string | null)[] = texts.map(() => null);
    for (const places of runsOf(encoded, ALONE.has(this.model.dtype) ? 1 : RUN_TEXTS)) {
      goOn();
      try {
        const found = await this.#answers(places.map((place) => encoded[place] as Encoded));
        places.forEach((place, i) => {
          const answer = found[i] as Float32Array;
          if (answer.every(Number.isFinite)) answers[place] = answer;
          else problems[place] = 'the model finds nothing in it';
        });
      } catch (thrown) {
        for (const place of places) problems[place] = asError(thrown).message;
      }
    }
    const width = answers.find((answer) => answer !== null)?.length ?? 0;
    const values = new Float32Array(texts.length * width);
    answers.forEach((answer, place) => {
      if (answer !== null) values.set(answer, place * width);
    });
    return { values, width, problems };
  }

  /**
   * The tokens, truncated to the model's limit; the final end token is kept. A query that is too long leaves half of
   * the limit to the text.
   */
  #encoded(query: string | null, text: string): Encoded {
    const { maxTokens } = this.model;
    const pair = query === null ? {} : { text_pair: text };
    const all = this.encode(query ?? text, { ...pair, return_tensor: false });
    const tooLong = (all.input_ids ?? []).length > maxTokens;
    if (!tooLong) return all;
    // In a pair, the query's tokens come first, after the start token.
    const ofQuery = query === null ? 0 : (this.encode(query, { return_tensor: false }).input_ids ?? []).length - 2;
    const half = Math.floor(maxTokens / 2);
    return Object.fromEntries(
      Object.entries(all).map(([name, values]) => {
        const whole = ofQuery > half ? [...values.slice(0, 1 + half), ...values.slice(1 + ofQuery)] : values;
        return [name, whole.length <= maxTokens ? whole : [...whole.slice(0, maxTokens - 1), whole.at(-1) ?? 0]];
      }),
    );
  }

  async #answers(run: readonly Encoded[]): Promise<readonly Float32Array[]> {
    const outputs = await this.run(tensors(run));
    const { pooling } = this.model;
    const output = pooling === null ? outputs.logits : (outputs.last_hidden_state ?? outputs.token_embeddings);
    if (output === undefined)
      throw new Error(`the model returns ${Object.keys(outputs).join(', ')}, which is no known output`);
    const { dims, data } = output.to('float32') as unknown as States;
    if (pooling !== null) return run.map((_, place) => unit(pooled({ dims, data }, place, pooling)));
    if (dims.length !== 2 || dims[1] !== 1) throw new Error(`a cross-encoder of ${dims[1]} outputs instead of 1 logit`);
    return run.map((_, place) => Float32Array.of(data[place] ?? Number.NaN));
  }
}

/** Indexes of texts of equal length, at most `size` together. */
function runsOf(encoded: readonly Encoded[], size: number): readonly (readonly number[])[] {
  const open = new Map<number, number[]>();
  const runs: number[][] = [];
  encoded.forEach(({ input_ids: tokens = [] }, place) => {
    const run = open.get(tokens.length);
    if (run !== undefined && run.length < size) run.push(place);
    else {
      const fresh = [place];
      open.set(tokens.length, fresh);
      runs.push(fresh);
    }
  });
  return runs;
}

function tensors(run: readonly Encoded[]): Record<string, Tensor> {
  const names = Object.keys(run[0] ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const values = run.flatMap((encoded) => encoded[name] ?? []);
      return [name, new Tensor('int64', BigInt64Array.from(values, BigInt), [run.length, values.length / run.length])];
    }),
  );
}

function pooled({ dims, data }: States, place: number, pooling: Pooling): Float32Array {
  const [, tokens = 0, width = 0] = dims;
  const start = place * tokens * width;
  const state = (token: number): Float32Array =>
    Float32Array.from({ length: width }, (_, i) => data[start + token * width + i] ?? Number.NaN);
  if (pooling === 'cls') return state(0);
  if (pooling === 'last_token') return state(tokens - 1);
  const sums = new Float64Array(width);
  for (let token = 0; token < tokens; token += 1) {
    const from = start + token * width;
    for (let i = 0; i < width; i += 1) sums[i] = (sums[i] ?? 0) + (data[from + i] ?? Number.NaN);
  }
  return Float32Array.from(sums, (sum) => sum / tokens);
}

/** Normalises a vector; all NaN if it is zero. */
function unit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}
