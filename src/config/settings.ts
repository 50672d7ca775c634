import { join, resolve } from 'node:path';
import { z } from 'zod';
import { StartupError } from '../domain/errors.js';
import { type AuthSettings, authSettings, flag, list } from './access-settings.js';

/** Where a part runs: a server that was named, or one that the gateway starts and stops itself. */
export type Server = { readonly kind: 'external'; readonly url: string } | { readonly kind: 'embedded' };

/** Which embedding model, and what its user says of it; null: what the table of known models says. */
export interface EmbeddingChoice {
  /** `builtin`, a Hugging Face id, or `openai:` and what the endpoint calls its model. */
  readonly model: string;
  readonly dims: number | null;
  readonly pooling: 'mean' | 'cls' | 'last_token' | null;
  readonly maxTokens: number | null;
  readonly dtype: 'fp32' | 'fp16' | 'q8' | 'int8' | 'uint8' | 'q4' | 'q4f16' | 'bnb4' | null;
  readonly queryPrefix: string | null;
  readonly passagePrefix: string | null;
  /** Whether each text is told apart by its perspective: 题目：, 解法：, 知识点：, 错因：. */
  readonly perspectivePrefixes: boolean;
  /** Of the endpoint, up to `/embeddings`. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
}

/** Where model files are and come from. */
export interface ModelFiles {
  readonly folder: string;
  /** Never download, whatever is missing. */
  readonly offline: boolean;
  /** The Hugging Face hub, or a mirror of it. */
  readonly hub: string;
}

/** The settings, complete and checked; README lists them with their consequences. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly database: Server;
  readonly chroma: Server;
  /** What a Chroma server of yours asks who comes, and where in it the collections are; null: what it takes for granted. */
  readonly chromaAccess: {
    readonly apiKey: string | null;
    readonly tenant: string | null;
    readonly database: string | null;
  };
  /** The search profile of searches that name none. */
  readonly searchProfile: string;
  /** What is kept of clients' searches: nothing, hashes of what was searched for, or the texts too. */
  readonly searchLog: 'off' | 'hashes' | 'texts';
  /** How many days a search is kept there, 1 to 36500; null: for good. */
  readonly searchLogDays: number | null;
  /** How much memory the vectors of the cards used last may take, in MB (2^20 bytes). */
  readonly vectorCacheMb: number;
  readonly embedding: EmbeddingChoice;
  /** The cross-encoder's name; null: none. */
  readonly rerankerModel: string | null;
  readonly models: ModelFiles;
  /** Undecided (null): the sample is loaded where the embedded database is empty. */
  readonly seedSample: boolean | null;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  readonly production: boolean;
  /** Who is let in; null: everyone, nobody is asked. */
  readonly auth: AuthSettings | null;
  /** The names by which clients may call the gateway, without a port; null: any, or where nobody is asked who comes, those of this machine. */
  readonly allowedHosts: readonly string[] | null;
  /** How often a caller may ask each field of the API's root, per second; null: as often as it likes. */
  readonly rateLimit: number | null;
  /** How long requests are still answered after `/readyz` says that the gateway is stopping. */
  readonly drainMs: number;
  /** The file of the operations that are answered, and no others; null: any. */
  readonly operationsFile: string | null;
  /** The OTLP collector that traces are sent to; null: none are made. */
  readonly tracesEndpoint: string | null;
}

const serverUrl = (protocols: readonly string[]) =>
  z
    .string()
    .refine(
      (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol),
      `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    );

/** A person taps a few times a second; a school's own server, which asks for all of its students, may need more. */
const DEFAULT_RATE_LIMIT = 100;

const count = z
  .string()
  .regex(/^[1-9]\d{0,5}$/, 'must be a number from 1 to 999999')
  .transform(Number);

/** `organisation/name`, and no path that leads elsewhere. */
const HUGGING_FACE_ID = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

const embeddingModel = z
  .string()
  .refine(
    (name) => name === 'builtin' || HUGGING_FACE_ID.test(name) || /^openai:[\w.:/-]+$/.test(name),
    'must be builtin, a Hugging Face id such as Xenova/bge-small-zh-v1.5, or openai:<model>',
  );

const settings = z.object({
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a number')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be 0 (any free port) to 65535')
    .default(4000),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: serverUrl(['postgres:', 'postgresql:']).optional(),
  CHROMA_URL: serverUrl(['http:', 'https:']).optional(),
  CHROMA_API_KEY: z.string().optional(),
  CHROMA_TENANT: z.string().optional(),
  CHROMA_DATABASE: z.string().optional(),
  SEARCH_PROFILE: z.string().max(100, 'must have at most 100 characters').default('default'),
  SEARCH_LOG: z.enum(['off', 'hashes', 'texts']).default('off'),
  SEARCH_LOG_DAYS: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a number of days, or 0 for no end')
    .transform(Number)
    .refine((days) => days <= 36_500, 'must be at most 36500')
    .default(90),
  VECTOR_CACHE_MB: z
    .string()
    .regex(/^\d{1,6}$/, 'must be a number of megabytes')
    .transform(Number)
    .refine((megabytes) => megabytes >= 1, 'must be at least 1')
    .default(128),
  EMBEDDING_MODEL: embeddingModel.default('builtin'),
  EMBEDDING_DIMS: count.optional(),
  EMBEDDING_POOLING: z.enum(['mean', 'cls', 'last_token']).optional(),
  EMBEDDING_MAX_TOKENS: count.refine((tokens) => tokens >= 16, 'must be at least 16: no model reads less').optional(),
  EMBEDDING_DTYPE: z.enum(['fp32', 'fp16', 'q8', 'int8', 'uint8', 'q4', 'q4f16', 'bnb4']).optional(),
  EMBEDDING_QUERY_PREFIX: z.string().optional(),
  EMBEDDING_PASSAGE_PREFIX: z.string().optional(),
  EMBEDDING_PERSPECTIVE_PREFIXES: flag.default(false),
  EMBEDDING_BASE_URL: serverUrl(['http:', 'https:']).optional(),
  EMBEDDING_API_KEY: z.string().optional(),
  RERANKER_MODEL: z
    .string()
    .regex(HUGGING_FACE_ID, 'must be a Hugging Face id such as BAAI/bge-reranker-base')
    .optional(),
  MODELS_DIR: z.string().optional(),
  MODELS_OFFLINE: flag.default(false),
  HF_ENDPOINT: serverUrl(['http:', 'https:']).default('https://huggingface.co'),
  SEED_SAMPLE: flag.optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  NODE_ENV: z.string().optional(),
  ALLOWED_HOSTS: list.optional(),
  DRAIN_SECONDS: z
    .string()
    .regex(/^\d{1,2}$/, 'must be a number of seconds, 0 to 99')
    .transform(Number)
    .default(0),
  OPERATIONS_FILE: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: serverUrl(['http:', 'https:']).optional(),
  RATE_LIMIT: z
    .string()
    .regex(/^\d{1,6}$/, 'must be a number a second, or 0 for none')
    .transform(Number)
    .optional(),
});

/**
 * The settings that an environment means. Pure: nothing else reads process.env. An empty value counts as unset.
 * StartupError (78) that lists every problem at once.
 */
export function parseConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = settings.safeParse(given);
  const auth = authSettings.safeParse(given);
  if (!parsed.success || !auth.success) {
    const issues = [...(parsed.error?.issues ?? []), ...(auth.error?.issues ?? [])];
    const problems = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new StartupError(`the settings are not usable: ${problems.join('; ')}`, 78);
  }
  const { data } = parsed;
  const rateLimit = data.RATE_LIMIT ?? (auth.data === null ? 0 : DEFAULT_RATE_LIMIT);
  if (data.EMBEDDING_MODEL.startsWith('openai:') && data.EMBEDDING_BASE_URL === undefined) {
    const problem = 'EMBEDDING_BASE_URL: must name the endpoint, such as https://api.openai.com/v1';
    throw new StartupError(`the settings are not usable: ${problem}`, 78);
  }
  const ofChroma = ['CHROMA_API_KEY', 'CHROMA_TENANT', 'CHROMA_DATABASE'].filter((name) => name in given);
  if (data.CHROMA_URL === undefined && ofChroma.length > 0) {
    const problem = `CHROMA_URL: must name the server that ${ofChroma.join(', ')} is for`;
    throw new StartupError(`the settings are not usable: ${problem}`, 78);
  }
  const server = (url: string | undefined): Server =>
    url === undefined ? { kind: 'embedded' } : { kind: 'external', url };
  return {
    port: data.PORT,
    host: data.HOST,
    dataDir: resolve(data.DATA_DIR),
    database: server(data.DATABASE_URL),
    chroma: server(data.CHROMA_URL),
    chromaAccess: {
      apiKey: data.CHROMA_API_KEY ?? null,
      tenant: data.CHROMA_TENANT ?? null,
      database: data.CHROMA_DATABASE ?? null,
    },
    searchProfile: data.SEARCH_PROFILE,
    searchLog: data.SEARCH_LOG,
    searchLogDays: data.SEARCH_LOG_DAYS === 0 ? null : data.SEARCH_LOG_DAYS,
    vectorCacheMb: data.VECTOR_CACHE_MB,
    embedding: {
      model: data.EMBEDDING_MODEL,
      dims: data.EMBEDDING_DIMS ?? null,
      pooling: data.EMBEDDING_POOLING ?? null,
      maxTokens: data.EMBEDDING_MAX_TOKENS ?? null,
      dtype: data.EMBEDDING_DTYPE ?? null,
      queryPrefix: data.EMBEDDING_QUERY_PREFIX ?? null,
      passagePrefix: data.EMBEDDING_PASSAGE_PREFIX ?? null,
      perspectivePrefixes: data.EMBEDDING_PERSPECTIVE_PREFIXES,
      baseUrl: data.EMBEDDING_BASE_URL?.replace(/\/+$/, '') ?? null,
      apiKey: data.EMBEDDING_API_KEY ?? null,
    },
    rerankerModel: data.RERANKER_MODEL ?? null,
    models: {
      folder: data.MODELS_DIR === undefined ? dataFolders(data.DATA_DIR).models : resolve(data.MODELS_DIR),
      offline: data.MODELS_OFFLINE,
      hub: data.HF_ENDPOINT.replace(/\/+$/, ''),
    },
    seedSample: data.SEED_SAMPLE ?? null,
    logLevel: data.LOG_LEVEL,
    production: data.NODE_ENV === 'production',
    auth: auth.data,
    allowedHosts: data.ALLOWED_HOSTS?.map((host) => host.toLowerCase()) ?? null,
    rateLimit: rateLimit === 0 ? null : rateLimit,
    drainMs: data.DRAIN_SECONDS * 1_000,
    operationsFile: data.OPERATIONS_FILE === undefined ? null : resolve(data.OPERATIONS_FILE),
    tracesEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
  };
}

/** The folders under DATA_DIR, by what they keep. */
export function dataFolders(
  dataDir: string,
): Readonly<Record<'postgres' | 'chroma' | 'vectors' | 'words' | 'embeddings' | 'models' | 'imports', string>> {
  const folder = (name: string): string => join(resolve(dataDir), name);
  return {
    postgres: folder('postgres'),
    chroma: folder('chroma'),
    vectors: folder('vectors'),
    words: folder('words'),
    embeddings: folder('embeddings'),
    models: folder('models'),
    imports: folder('imports'),
  };
}
