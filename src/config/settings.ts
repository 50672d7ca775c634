import { join, resolve } from 'node:path';
import { StartupError } from '../domain/errors.js';
import { type AuthSettings, authOf } from './access-settings.js';
import { type Fields, fields } from './fields.js';
import { conflicts, type Given, type Problem } from './rules.js';

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

/** The settings, complete and checked; docs/settings.md lists them with their consequences. */
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
  /** A notebook of up to so many cards is searched by scoring every card; in a larger one Chroma proposes. Infinity: always. */
  readonly searchExactLimit: number;
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

/** A person taps a few times a second; a school's own server, which asks for all of its students, may need more. */
const DEFAULT_RATE_LIMIT = 100;

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings that an environment means, and what is wrong with them; an empty value counts as unset. Where a variable is
 * wrong the settings are those without it, so that checks which need others can go on. Pure.
 */
export function readSettings(env: Environment): { readonly config: Config; readonly problems: readonly Problem[] } {
  const given: Given = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
  const wrong = (fields.safeParse(given).error?.issues ?? []).map(({ path, message }) => ({
    variable: path.join('.'),
    message,
  }));
  const isWrong = new Set(wrong.map(({ variable }) => variable));
  const sound = Object.fromEntries(Object.entries(given).filter(([name]) => !isWrong.has(name)));
  return { config: configOf(fields.parse(sound)), problems: [...wrong, ...conflicts(given)] };
}

/** The settings that an environment means. StartupError (78) that lists every problem at once. Pure. */
export function parseConfig(env: Environment): Config {
  const { config, problems } = readSettings(env);
  refuseSettings(problemLines(problems));
  return config;
}

/** A line for each problem, which begins with its variable. */
export function problemLines(problems: readonly Problem[]): string[] {
  return problems.map(({ variable, message }) => `${variable}: ${message}`);
}

/** StartupError (78) with these lines, where there is any. */
export function refuseSettings(lines: readonly string[]): void {
  if (lines.length === 0) return;
  throw new StartupError(`the settings are not usable:${lines.length === 1 ? ' ' : '\n  '}${lines.join('\n  ')}`, 78);
}

function configOf(data: Fields): Config {
  const auth = authOf(data);
  const rateLimit = data.RATE_LIMIT ?? (auth === null ? 0 : DEFAULT_RATE_LIMIT);
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
    searchExactLimit: data.SEARCH_EXACT_LIMIT,
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
    auth,
    allowedHosts: data.ALLOWED_HOSTS?.map((host) => host.toLowerCase()) ?? null,
    rateLimit: rateLimit === 0 ? null : rateLimit,
    drainMs: data.DRAIN_SECONDS * 1_000,
    operationsFile: data.OPERATIONS_FILE === undefined ? null : resolve(data.OPERATIONS_FILE),
    tracesEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
  };
}

const PARTS = ['postgres', 'chroma', 'vectors', 'words', 'embeddings', 'models', 'imports', 'exports'] as const;

/** Everything that the gateway makes in DATA_DIR. */
export const DATA_DIR_NAMES: readonly string[] = [...PARTS, 'gateway.lock'];

/** The folders under DATA_DIR, by what they keep. */
export function dataFolders(dataDir: string): Readonly<Record<(typeof PARTS)[number], string>> {
  const folders = PARTS.map((name) => [name, join(resolve(dataDir), name)]);
  return Object.fromEntries(folders);
}
