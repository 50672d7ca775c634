import { join, resolve } from 'node:path';
import type { FileType } from '../domain/attachment.js';
import { StartupError } from '../domain/errors.js';
import { type AuthSettings, authOf } from './access-settings.js';
import { type Fields, fields } from './fields.js';
import { conflicts, type Given, type Problem } from './rules.js';

/** A configured server, or one that the gateway starts and stops itself. */
export type Server = { readonly kind: 'external'; readonly url: string } | { readonly kind: 'embedded' };

/** The configured embedding model; null: the values of the known model. */
export interface EmbeddingChoice {
  /** `builtin`, a Hugging Face id, or `openai:` and what the endpoint calls its model. */
  readonly model: string;
  readonly dims: number | null;
  readonly pooling: 'mean' | 'cls' | 'last_token' | null;
  readonly maxTokens: number | null;
  readonly dtype: 'fp32' | 'fp16' | 'q8' | 'int8' | 'uint8' | 'q4' | 'q4f16' | 'bnb4' | null;
  readonly queryPrefix: string | null;
  readonly passagePrefix: string | null;
  /** Whether texts are prefixed by their perspective: 题目：, 解法：, 知识点：, 错因：. */
  readonly perspectivePrefixes: boolean;
  /** URL of the endpoint, up to `/embeddings`. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
}

/** Where model files are and come from. */
export interface ModelFiles {
  readonly folder: string;
  /** Never download. */
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
  /** Credentials and location on an external Chroma server; null: the server's default. */
  readonly chromaAccess: {
    readonly apiKey: string | null;
    readonly tenant: string | null;
    readonly database: string | null;
    /** Whether it is Chroma Cloud, with its quotas. */
    readonly cloud: boolean;
  };
  /** The profile of searches without one. */
  readonly searchProfile: string;
  /** Whether searches without a profile use weights that are learned from the notebook. */
  readonly learnWeights: boolean;
  /** Whether FSRS is fitted to each student's attempts. */
  readonly fitSchedules: boolean;
  /** Stored of clients' searches: nothing, hashes of the queries, or their texts too. */
  readonly searchLog: 'off' | 'hashes' | 'texts';
  /** Retention of the search log in days, 1 to 36500; null: forever. */
  readonly searchLogDays: number | null;
  /** Whether agents have tools that change cards and record attempts. */
  readonly mcpWrites: boolean;
  /** In a class overview, labels and questions that concern fewer students are suppressed. */
  readonly classMinStudents: number;
  /**
   * Up to this number of cards, every card is scored; beyond it, Chroma generates candidates. Infinity: always score
   * every card.
   */
  readonly searchExactLimit: number;
  /**
   * Tenants with more cards have their vectors in Chroma, and the default tenant always; those of others are in
   * PostgreSQL.
   */
  readonly chromaAboveCards: number;
  /** Threads that compare a search with all cards; null: by the number of processor cores. */
  readonly searchThreads: number | null;
  /** Memory of the vector cache, in MB (2^20 bytes). */
  readonly vectorCacheMb: number;
  /** Memory of the indexes of all tenants together, in MB (2^20 bytes). */
  readonly indexMemoryMb: number;
  readonly embedding: EmbeddingChoice;
  /** The chat model of the tutor, behind an endpoint that speaks OpenAI's format; null: none. */
  readonly chat: { readonly model: string; readonly baseUrl: string; readonly apiKey: string | null } | null;
  /** Whether conversations with the tutor are written to the log. */
  readonly tutorLog: 'off' | 'texts';
  /** The cross-encoder's name; null: none. */
  readonly rerankerModel: string | null;
  readonly models: ModelFiles;
  readonly uploads: {
    /** Of one uploaded file. */
    readonly maxBytes: number;
    /** Of all uploaded files of a tenant; 0: none are accepted. */
    readonly maxTenantBytes: number;
    readonly types: readonly FileType[];
  };
  /** Null: the sample is loaded if the embedded database is empty. */
  readonly seedSample: boolean | null;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  readonly production: boolean;
  /** Null: no authentication. */
  readonly auth: AuthSettings | null;
  /** Accepted host names, without a port; null: any, or without authentication those of loopback. */
  readonly allowedHosts: readonly string[] | null;
  /** Rate limit of a caller for each root field, per second; null: none. */
  readonly rateLimit: number | null;
  /** How long requests are still answered after `/readyz` reports that the gateway is stopping. */
  readonly drainMs: number;
  /** File of persisted operations; null: any operation is accepted. */
  readonly operationsFile: string | null;
  /** Whether the operations of the studio are accepted beside those of the file. */
  readonly operationsStudio: boolean;
  /** Whether the API is a subgraph of Apollo Federation 2. */
  readonly federation: boolean;
  /** The OTLP collector for traces; null: no traces. */
  readonly tracesEndpoint: string | null;
}

/** A user sends a few requests a second; a school's server that asks for all of its students may need more. */
const DEFAULT_RATE_LIMIT = 100;

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Parses the environment into settings and problems; an empty value counts as unset. A wrong variable is ignored, so
 * that checks of the others can go on. Pure.
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

/** Parses the environment. StartupError (78) that lists every problem at once. Pure. */
export function parseConfig(env: Environment): Config {
  const { config, problems } = readSettings(env);
  refuseSettings(problemLines(problems));
  return config;
}

/** A line for each problem, which begins with its variable. */
export function problemLines(problems: readonly Problem[]): string[] {
  return problems.map(({ variable, message }) => `${variable}: ${message}`);
}

/** StartupError (78) with these lines, if there are any. */
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
      cloud: data.CHROMA_CLOUD,
    },
    searchProfile: data.SEARCH_PROFILE,
    learnWeights: data.LEARN_WEIGHTS,
    fitSchedules: data.FIT_SCHEDULES,
    searchLog: data.SEARCH_LOG,
    mcpWrites: data.MCP_WRITES,
    searchLogDays: data.SEARCH_LOG_DAYS === 0 ? null : data.SEARCH_LOG_DAYS,
    classMinStudents: data.CLASS_MIN_STUDENTS,
    searchExactLimit: data.SEARCH_EXACT_LIMIT,
    chromaAboveCards: data.CHROMA_ABOVE_CARDS,
    searchThreads: data.SEARCH_THREADS ?? null,
    vectorCacheMb: data.VECTOR_CACHE_MB,
    indexMemoryMb: data.INDEX_MEMORY_MB,
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
    chat: chatOf(data),
    tutorLog: data.TUTOR_LOG,
    rerankerModel: data.RERANKER_MODEL ?? null,
    models: {
      folder: data.MODELS_DIR === undefined ? dataFolders(data.DATA_DIR).models : resolve(data.MODELS_DIR),
      offline: data.MODELS_OFFLINE,
      hub: data.HF_ENDPOINT.replace(/\/+$/, ''),
    },
    uploads: {
      maxBytes: data.ATTACHMENT_MAX_MB * 2 ** 20,
      maxTenantBytes: data.ATTACHMENTS_TENANT_MB * 2 ** 20,
      types: data.ATTACHMENT_TYPES,
    },
    seedSample: data.SEED_SAMPLE ?? null,
    logLevel: data.LOG_LEVEL,
    production: data.NODE_ENV === 'production',
    auth,
    allowedHosts: data.ALLOWED_HOSTS?.map((host) => host.toLowerCase()) ?? null,
    rateLimit: rateLimit === 0 ? null : rateLimit,
    drainMs: data.DRAIN_SECONDS * 1_000,
    operationsFile: data.OPERATIONS_FILE === undefined ? null : resolve(data.OPERATIONS_FILE),
    operationsStudio: data.OPERATIONS_STUDIO,
    federation: data.FEDERATION,
    tracesEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
  };
}

function chatOf({ CHAT_BASE_URL: baseUrl, CHAT_API_KEY: apiKey, CHAT_MODEL: model }: Fields): Config['chat'] {
  if (baseUrl === undefined || model === undefined) return null;
  return { model, baseUrl: baseUrl.replace(/\/+$/, ''), apiKey: apiKey ?? null };
}

const PARTS = ['postgres', 'chroma', 'vectors', 'words', 'embeddings', 'models', 'imports', 'exports'] as const;

/** Everything that the gateway creates in DATA_DIR. */
export const DATA_DIR_NAMES: readonly string[] = [...PARTS, 'gateway.lock'];

/** The folders under DATA_DIR. */
export function dataFolders(dataDir: string): Readonly<Record<(typeof PARTS)[number], string>> {
  const folders = PARTS.map((name) => [name, join(resolve(dataDir), name)]);
  return Object.fromEntries(folders);
}
