import { createHash } from 'node:crypto';
import type { EmbeddingChoice } from '../config/settings.js';
import { StartupError } from '../domain/errors.js';
import type { Perspective } from '../domain/perspective.js';
import type { ModelIdentity, TextKind } from '../domain/ports/models.js';
import { BUILTIN_MODEL } from './builtin.js';
import type { LocalModel } from './inference/protocol.js';
import { type EmbeddingSettings, KNOWN_EMBEDDERS, KNOWN_ENDPOINT_MODELS } from './known.js';

/** Part of the model's identity: the same text with another prefix has another vector. */
export interface Prefixes {
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  readonly perspectivePrefixes: boolean;
}

/** A model of the inference process, with all settings resolved. */
export interface LocalSpec extends EmbeddingSettings, Prefixes {
  readonly kind: 'local';
  /** As in the setting. */
  readonly name: string;
}

/** A model behind an endpoint, with all settings resolved. */
export interface EndpointSpec extends Prefixes {
  readonly kind: 'endpoint';
  /** `openai:text-embedding-3-small` */
  readonly name: string;
  readonly dims: number;
  /** Whether the number of dimensions is sent; a server with a fixed one may refuse it. */
  readonly asksForDims: boolean;
  /** Inputs in a request. */
  readonly batch: number;
  readonly maxTokens: number;
}

/** All settings that determine the vectors of a model. It contains no secret, so it may be written to a file. */
export type EmbedderSpec = { readonly kind: 'builtin' } | LocalSpec | EndpointSpec;

/** Limits assumed of an endpoint's unknown model. */
const CAUTIOUS_ENDPOINT = { batch: 10, maxTokens: 512 };

const PERSPECTIVE_PREFIXES: Readonly<Record<Perspective, string>> = {
  question: '题目：',
  solution: '解法：',
  concept: '知识点：',
  error: '错因：',
};

/** StartupError (78) that names the settings that an unknown model still needs. */
export function embedderSpec(choice: EmbeddingChoice): EmbedderSpec {
  if (choice.model === 'builtin') return { kind: 'builtin' };
  return choice.model.startsWith('openai:') ? endpointSpec(choice) : localSpec(choice);
}

function localSpec(choice: EmbeddingChoice): LocalSpec {
  const known = KNOWN_EMBEDDERS.get(choice.model);
  const dims = choice.dims ?? known?.dims;
  const pooling = choice.pooling ?? known?.pooling;
  const maxTokens = choice.maxTokens ?? known?.maxTokens;
  if (dims === undefined || pooling === undefined || maxTokens === undefined) {
    const missing = Object.entries({
      EMBEDDING_DIMS: dims,
      EMBEDDING_POOLING: pooling,
      EMBEDDING_MAX_TOKENS: maxTokens,
    }).flatMap(([name, value]) => (value === undefined ? [name] : []));
    throw new StartupError(
      `EMBEDDING_MODEL: ${choice.model} is not one of the known models (${[...KNOWN_EMBEDDERS.keys()].join(', ')}); ` +
        `set the following from its page on Hugging Face: ${missing.join(', ')}`,
      78,
    );
  }
  return {
    kind: 'local',
    name: choice.model,
    repository: known?.repository ?? choice.model,
    dims,
    pooling,
    maxTokens,
    dtype: choice.dtype ?? known?.dtype ?? 'fp32',
    ...prefixes(choice, known?.queryPrefix, known?.passagePrefix),
  };
}

function endpointSpec(choice: EmbeddingChoice): EndpointSpec {
  const model = choice.model.slice('openai:'.length);
  const known = KNOWN_ENDPOINT_MODELS.get(model);
  const dims = choice.dims ?? known?.dims;
  if (dims === undefined) {
    throw new StartupError(`EMBEDDING_MODEL: set EMBEDDING_DIMS to the length of the vectors of ${model}`, 78);
  }
  const { batch, maxTokens } = known ?? CAUTIOUS_ENDPOINT;
  return {
    kind: 'endpoint',
    name: choice.model,
    dims,
    asksForDims: known?.anyDims === true && dims !== known.dims,
    batch,
    maxTokens: choice.maxTokens ?? maxTokens,
    ...prefixes(choice, undefined, undefined),
  };
}

function prefixes(choice: EmbeddingChoice, query: string | undefined, passage: string | undefined): Prefixes {
  return {
    queryPrefix: choice.queryPrefix ?? query ?? '',
    passagePrefix: choice.passagePrefix ?? passage ?? '',
    perspectivePrefixes: choice.perspectivePrefixes,
  };
}

/**
 * Identity of a model's vectors. The version is a hash of all settings that change vectors and are not in the name, so
 * that other settings are another model.
 */
export function identityOf(spec: LocalSpec | EndpointSpec): ModelIdentity {
  const { name, dims, queryPrefix, passagePrefix, perspectivePrefixes } = spec;
  const pooling = spec.kind === 'local' ? [spec.repository, spec.pooling] : [];
  const settings = JSON.stringify([...pooling, queryPrefix, passagePrefix, perspectivePrefixes]);
  const version = createHash('sha256').update(settings).digest().readUInt32BE(0);
  return { name, dims, dtype: spec.kind === 'local' ? spec.dtype : 'api', version };
}

/** The model as the inference process loads it from MODELS_DIR. */
export function localModel({ repository, dtype, maxTokens, pooling }: LocalSpec, folder: string): LocalModel {
  return { folder, repository, dtype, maxTokens, pooling };
}

export function modelIdentity(choice: EmbeddingChoice): ModelIdentity {
  const spec = embedderSpec(choice);
  return spec.kind === 'builtin' ? BUILTIN_MODEL : identityOf(spec);
}

/** Full prefix of a text: the model's own, then the perspective's. */
export function prefixOf(spec: Prefixes, kind: TextKind, perspective: Perspective): string {
  const own = kind === 'query' ? spec.queryPrefix : spec.passagePrefix;
  return own + (spec.perspectivePrefixes ? PERSPECTIVE_PREFIXES[perspective] : '');
}

/** Special tokens around every text: one at its beginning, one at its end. */
const FRAME_TOKENS = 2;

/** Endpoints' tokenizers work on bytes: a rare Chinese character is three tokens, and four leave room for the frame. */
const ENDPOINT_TOKENS_PER_CHAR = 4;

/**
 * The longest text, in characters, that the model reads completely: in the vocabularies of BERT and XLM-RoBERTa no
 * token is shorter than a character. (An English word is longer, so an English passage could be too; but more, shorter
 * passages only find more.)
 */
export function maxCharsOf(spec: LocalSpec | EndpointSpec): number {
  if (spec.kind === 'endpoint') return Math.max(1, Math.floor(spec.maxTokens / ENDPOINT_TOKENS_PER_CHAR));
  const longest = Math.max(spec.queryPrefix.length, spec.passagePrefix.length);
  const perspective = spec.perspectivePrefixes ? PERSPECTIVE_PREFIXES.concept.length : 0;
  return Math.max(1, spec.maxTokens - FRAME_TOKENS - longest - perspective);
}
