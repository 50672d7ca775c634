import type { Dtype } from '../domain/ports/models.js';
import type { Pooling } from './inference/protocol.js';

/** Properties of an embedding model that must be known for its vectors to be right. */
export interface EmbeddingSettings {
  /** Hugging Face repository with its ONNX files. */
  readonly repository: string;
  readonly dims: number;
  readonly pooling: Pooling;
  /** The longest input, special tokens included. */
  readonly maxTokens: number;
  readonly dtype: Dtype;
  /** Prefixes that the model was trained with, for queries and for passages. */
  readonly queryPrefix: string;
  readonly passagePrefix: string;
}

export interface KnownModel extends Pick<EmbeddingSettings, 'repository' | 'maxTokens' | 'dtype'> {
  readonly licence: string;
  /** Approximate download size in MB, by dtype: the model file and the tokenizer. */
  readonly megabytes: Readonly<Partial<Record<Dtype, number>>>;
}

/** All return unit vectors for cosine similarity. */
interface KnownEmbedder extends EmbeddingSettings, KnownModel {
  readonly languages: string;
  /**
   * The lower end of this model's cosines, by its authors: a threshold below it lets everything through, so similarity
   * is scaled from it. Null if they do not state it.
   */
  readonly lowestCosine: number | null;
}

/** BGE 1.5 for Chinese: needs the instruction only before short queries, and works without it. */
const BGE_ZH = {
  pooling: 'cls',
  maxTokens: 512,
  queryPrefix: '为这个句子生成表示以用于检索相关文章：',
  passagePrefix: '',
  languages: 'Chinese',
  licence: 'MIT',
  lowestCosine: null,
} as const;

/**
 * Models that need no further settings, by the name in the setting. Quantised files (q8) are the default only if the
 * full ones are above a gigabyte.
 */
export const KNOWN_EMBEDDERS: ReadonlyMap<string, KnownEmbedder> = new Map(
  Object.entries<KnownEmbedder>({
    // https://huggingface.co/BAAI/bge-m3
    'BAAI/bge-m3': {
      repository: 'Xenova/bge-m3',
      dims: 1024,
      pooling: 'cls',
      // The model supports 8,192; but the time of a text is quadratic in its length.
      maxTokens: 1024,
      dtype: 'q8',
      queryPrefix: '',
      passagePrefix: '',
      languages: 'more than 100 languages',
      licence: 'MIT',
      megabytes: { fp32: 2_285, fp16: 1_150, q8: 587 },
      lowestCosine: null,
    },
    // https://huggingface.co/BAAI/bge-small-zh-v1.5
    'Xenova/bge-small-zh-v1.5': {
      ...BGE_ZH,
      repository: 'Xenova/bge-small-zh-v1.5',
      dims: 512,
      dtype: 'fp32',
      megabytes: { fp32: 96, q8: 25 },
    },
    // https://huggingface.co/BAAI/bge-base-zh-v1.5
    'Xenova/bge-base-zh-v1.5': {
      ...BGE_ZH,
      repository: 'Xenova/bge-base-zh-v1.5',
      dims: 768,
      dtype: 'fp32',
      megabytes: { fp32: 408, q8: 104 },
    },
    // https://huggingface.co/intfloat/multilingual-e5-small
    'Xenova/multilingual-e5-small': {
      repository: 'Xenova/multilingual-e5-small',
      dims: 384,
      pooling: 'mean',
      maxTokens: 512,
      dtype: 'fp32',
      queryPrefix: 'query: ',
      passagePrefix: 'passage: ',
      languages: 'about 100 languages',
      licence: 'MIT',
      megabytes: { fp32: 488, q8: 135 },
      // Trained with a temperature of 0.01: the order of the scores matters, not their values.
      lowestCosine: 0.7,
    },
    // https://huggingface.co/moka-ai/m3e-base
    'Xenova/m3e-base': {
      repository: 'Xenova/m3e-base',
      dims: 768,
      pooling: 'mean',
      maxTokens: 512,
      dtype: 'fp32',
      queryPrefix: '',
      passagePrefix: '',
      languages: 'Chinese, some English',
      licence: 'research only: its training data are not free for commerce',
      megabytes: { fp32: 408, q8: 103 },
      lowestCosine: null,
    },
    // https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
    'Xenova/all-MiniLM-L6-v2': {
      repository: 'Xenova/all-MiniLM-L6-v2',
      dims: 384,
      pooling: 'mean',
      // The length of its evaluation; the tokenizer would allow 512.
      maxTokens: 256,
      dtype: 'fp32',
      queryPrefix: '',
      passagePrefix: '',
      languages: 'English',
      licence: 'Apache-2.0',
      megabytes: { fp32: 91, q8: 24 },
      lowestCosine: null,
    },
  }),
);

/**
 * Known cross-encoders, by the name in the setting; others are assumed to read 512 tokens and to have full-precision
 * files.
 */
export const KNOWN_RERANKERS: ReadonlyMap<string, KnownModel> = new Map(
  Object.entries<KnownModel>({
    // https://huggingface.co/BAAI/bge-reranker-base
    'BAAI/bge-reranker-base': {
      repository: 'Xenova/bge-reranker-base',
      maxTokens: 512,
      dtype: 'q8',
      licence: 'MIT',
      megabytes: { fp32: 1_130, q8: 297 },
    },
    // https://huggingface.co/BAAI/bge-reranker-v2-m3
    'BAAI/bge-reranker-v2-m3': {
      repository: 'onnx-community/bge-reranker-v2-m3-ONNX',
      maxTokens: 1024,
      dtype: 'q8',
      licence: 'Apache-2.0',
      megabytes: { fp32: 2_290, q8: 588 },
    },
  }),
);

/** An embedding model behind an OpenAI-compatible endpoint. */
interface KnownEndpointModel {
  readonly dims: number;
  /** Other lengths can be requested (`dimensions`). */
  readonly anyDims: boolean;
  /** Inputs in a request. */
  readonly batch: number;
  readonly maxTokens: number;
}

/** https://platform.openai.com/docs/guides/embeddings */
const OPENAI = { batch: 64, maxTokens: 8_191 };
/** https://help.aliyun.com/zh/model-studio/embedding */
const DASHSCOPE = { maxTokens: 8_192, batch: 10 };

/** Models of endpoints by the name after `openai:`; others need EMBEDDING_DIMS. */
export const KNOWN_ENDPOINT_MODELS: ReadonlyMap<string, KnownEndpointModel> = new Map(
  Object.entries<KnownEndpointModel>({
    'text-embedding-3-small': { ...OPENAI, dims: 1536, anyDims: true },
    'text-embedding-3-large': { ...OPENAI, dims: 3072, anyDims: true },
    'text-embedding-ada-002': { ...OPENAI, dims: 1536, anyDims: false },
    'text-embedding-v3': { ...DASHSCOPE, dims: 1024, anyDims: true },
    'text-embedding-v4': { ...DASHSCOPE, dims: 1024, anyDims: true },
  }),
);
