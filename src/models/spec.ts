import { createHash } from 'node:crypto';
import type { EmbeddingChoice } from '../config/settings.js';
import { StartupError } from '../domain/errors.js';
import type { Perspective } from '../domain/perspective.js';
import type { ModelIdentity, TextKind } from '../domain/ports/models.js';
import { BUILTIN_MODEL } from './builtin.js';
import { type EmbeddingSettings, KNOWN_EMBEDDERS, KNOWN_ENDPOINT_MODELS } from './known.js';

/** What is put before texts, as parts of the model: the same text with another prefix has another vector. */
export interface Prefixes {
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  readonly perspectivePrefixes: boolean;
}

/** A model of the inference process, all settings decided. */
export interface LocalSpec extends EmbeddingSettings, Prefixes {
  readonly kind: 'local';
  /** As the user wrote it. */
  readonly name: string;
}

/** A model behind an endpoint, all settings decided. */
export interface EndpointSpec extends Prefixes {
  readonly kind: 'endpoint';
  /** `openai:text-embedding-3-small` */
  readonly name: string;
  readonly dims: number;
  /** Whether the length of the vectors is asked for; a server that knows one length may refuse the question. */
  readonly asksForDims: boolean;
  /** Inputs a request. */
  readonly batch: number;
  readonly maxTokens: number;
}

/** Everything that must be known to make the vectors of a model. It may be written to a file: no key is in it. */
export type EmbedderSpec = { readonly kind: 'builtin' } | LocalSpec | EndpointSpec;

/** What an endpoint's unknown model is trusted with. */
const CAUTIOUS_ENDPOINT = { batch: 10, maxTokens: 512 };

const PERSPECTIVE_PREFIXES: Readonly<Record<Perspective, string>> = {
  question: '题目：',
  solution: '解法：',
  concept: '知识点：',
  error: '错因：',
};

/** What the settings mean. StartupError (78) that names the settings that an unknown model still needs. */
export function embedderSpec(choice: EmbeddingChoice): EmbedderSpec {
  if (choice.model === 'builtin') return { kind: 'builtin' };
  return choice.model.startsWith('openai:') ? endpointSpec(choice) : localSpec(choice);
}

function localSpec(choice: EmbeddingChoice): LocalSpec {
  const known = Object.hasOwn(KNOWN_EMBEDDERS, choice.model) ? KNOWN_EMBEDDERS[choice.model] : undefined;
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
      `EMBEDDING_MODEL: ${choice.model} is not one of the known models (${Object.keys(KNOWN_EMBEDDERS).join(', ')}); ` +
        `its page on Hugging Face says what to set for it: ${missing.join(', ')}`,
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
  const known = Object.hasOwn(KNOWN_ENDPOINT_MODELS, model) ? KNOWN_ENDPOINT_MODELS[model] : undefined;
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
 * Names the vectors of a model. The version is a hash of all that is not in the name and changes vectors, so that other
 * settings are another model.
 */
export function identityOf(spec: LocalSpec | EndpointSpec): ModelIdentity {
  const { name, dims, queryPrefix, passagePrefix, perspectivePrefixes } = spec;
  const pooling = spec.kind === 'local' ? [spec.repository, spec.pooling] : [];
  const settings = JSON.stringify([...pooling, queryPrefix, passagePrefix, perspectivePrefixes]);
  const version = createHash('sha256').update(settings).digest().readUInt32BE(0);
  return { name, dims, dtype: spec.kind === 'local' ? spec.dtype : 'api', version };
}

/** Names the vectors that the settings mean. */
export function modelIdentity(choice: EmbeddingChoice): ModelIdentity {
  const spec = embedderSpec(choice);
  return spec.kind === 'builtin' ? BUILTIN_MODEL : identityOf(spec);
}

/** What the model is given before a text: its own prefix, then the perspective's. */
export function prefixOf(spec: Prefixes, kind: TextKind, perspective: Perspective): string {
  const own = kind === 'query' ? spec.queryPrefix : spec.passagePrefix;
  return own + (spec.perspectivePrefixes ? PERSPECTIVE_PREFIXES[perspective] : '');
}

/** Where the cosines of the model begin, by its authors: see the table of known models. Null where nobody says. */
export function lowestCosineOf({ name }: LocalSpec | EndpointSpec): number | null {
  return Object.hasOwn(KNOWN_EMBEDDERS, name) ? (KNOWN_EMBEDDERS[name]?.band?.[0] ?? null) : null;
}

/** Tokens that stand around every text: one at its beginning, one at its end. */
const FRAME_TOKENS = 2;

/** Endpoints' tokenizers work on bytes: a rare Chinese character is three tokens, and four leave room for the frame. */
const ENDPOINT_TOKENS_PER_CHAR = 4;

/**
 * The longest text, in characters, that the model reads to its end: in the vocabularies of BERT and XLM-RoBERTa no token is
 * shorter than a character. (An English word is longer, so an English passage could be too; but more, shorter passages only
 * find more.)
 */
export function maxCharsOf(spec: LocalSpec | EndpointSpec): number {
  if (spec.kind === 'endpoint') return Math.max(1, Math.floor(spec.maxTokens / ENDPOINT_TOKENS_PER_CHAR));
  const longest = Math.max(spec.queryPrefix.length, spec.passagePrefix.length);
  const perspective = spec.perspectivePrefixes ? PERSPECTIVE_PREFIXES.concept.length : 0;
  return Math.max(1, spec.maxTokens - FRAME_TOKENS - longest - perspective);
}
