import { join, resolve } from 'node:path';
import { StartupError } from '../domain/errors.js';
import { plainMessage } from '../domain/parse/parse.js';
import { authOf } from './access-settings.js';
import { type Fields, fields } from './fields.js';
import { conflicts, type Given, type Problem } from './rules.js';

/** A configured server, or one that the gateway starts and stops itself. */
export type Server = { readonly kind: 'external'; readonly url: string } | { readonly kind: 'embedded' };

/** The settings, complete and checked; docs/settings.md lists them with their consequences. */
export type Config = Readonly<ReturnType<typeof configOf>>;

export type EmbeddingChoice = Readonly<Config['embedding']>;
export type ModelFiles = Readonly<Config['models']>;

/** A user sends a few requests a second; a school's server that asks for all of its students may need more. */
const DEFAULT_RATE_LIMIT = 100;

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Parses the environment into settings and problems; an empty value counts as unset. A wrong variable is ignored, so
 * that checks of the others can go on. Pure.
 */
export function readSettings(env: Environment): { readonly config: Config; readonly problems: readonly Problem[] } {
  const given: Given = Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
  const wrong = (fields.safeParse(given, { error: plainMessage }).error?.issues ?? []).map(({ path, message }) => ({
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

export function problemLines(problems: readonly Problem[]): string[] {
  return problems.map(({ variable, message }) => `${variable}: ${message}`);
}

/** StartupError (78) with these lines, if there are any. */
export function refuseSettings(lines: readonly string[]): void {
  if (lines.length === 0) return;
  throw new StartupError(`the settings are not usable:${lines.length === 1 ? ' ' : '\n  '}${lines.join('\n  ')}`, 78);
}

function configOf(data: Fields) {
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
    /** Credentials and location on an external Chroma server; null: the server's default. */
    chromaAccess: {
      apiKey: data.CHROMA_API_KEY ?? null,
      tenant: data.CHROMA_TENANT ?? null,
      database: data.CHROMA_DATABASE ?? null,
      cloud: data.CHROMA_CLOUD,
      collectionRecords: data.CHROMA_COLLECTION_RECORDS,
    },
    /** The profile of searches without one. */
    searchProfile: data.SEARCH_PROFILE,
    /** Whether searches without a profile use weights that are learned from the notebook. */
    learnWeights: data.LEARN_WEIGHTS,
    /** Whether FSRS is fitted to each student's attempts. */
    fitSchedules: data.FIT_SCHEDULES,
    /** Stored of clients' searches: nothing, hashes of the queries, or their texts too. */
    searchLog: data.SEARCH_LOG,
    /** Whether agents have tools that change cards and record attempts. */
    mcpWrites: data.MCP_WRITES,
    /** Retention of the search log in days, 1 to 36500; null: forever. */
    searchLogDays: data.SEARCH_LOG_DAYS === 0 ? null : data.SEARCH_LOG_DAYS,
    /** In a class overview, labels and questions that concern fewer students are suppressed. */
    classMinStudents: data.CLASS_MIN_STUDENTS,
    /**
     * Up to this number of cards, every card is scored; beyond it, Chroma generates candidates. Infinity: always score
     * every card.
     */
    searchExactLimit: data.SEARCH_EXACT_LIMIT,
    /**
     * Tenants with more cards have their vectors in Chroma, and the default tenant always; those of others are in
     * PostgreSQL.
     */
    chromaAboveCards: data.CHROMA_ABOVE_CARDS,
    /** Threads that compare a search with all cards; null: by the number of processor cores. */
    searchThreads: data.SEARCH_THREADS ?? null,
    /** Memory of the vector cache, in MB (2^20 bytes). */
    vectorCacheMb: data.VECTOR_CACHE_MB,
    /** Memory of the indexes of all tenants together, in MB (2^20 bytes). */
    indexMemoryMb: data.INDEX_MEMORY_MB,
    /** Null in it: the values of the known model. */
    embedding: {
      /** `builtin`, a Hugging Face id, or `openai:` and what the endpoint calls its model. */
      model: data.EMBEDDING_MODEL,
      dims: data.EMBEDDING_DIMS ?? null,
      pooling: data.EMBEDDING_POOLING ?? null,
      maxTokens: data.EMBEDDING_MAX_TOKENS ?? null,
      dtype: data.EMBEDDING_DTYPE ?? null,
      queryPrefix: data.EMBEDDING_QUERY_PREFIX ?? null,
      passagePrefix: data.EMBEDDING_PASSAGE_PREFIX ?? null,
      /** Whether texts are prefixed by their perspective: 题目：, 解法：, 知识点：, 错因：. */
      perspectivePrefixes: data.EMBEDDING_PERSPECTIVE_PREFIXES,
      /** URL of the endpoint, up to `/embeddings`. */
      baseUrl: data.EMBEDDING_BASE_URL?.replace(/\/+$/, '') ?? null,
      apiKey: data.EMBEDDING_API_KEY ?? null,
    },
    /** The chat model of the tutor, behind an endpoint that speaks OpenAI's format; null: none. */
    chat: chatOf(data),
    /** Whether conversations with the tutor are written to the log. */
    tutorLog: data.TUTOR_LOG,
    /** The cross-encoder's name; null: none. */
    rerankerModel: data.RERANKER_MODEL ?? null,
    /** Where model files are and come from. */
    models: {
      folder: data.MODELS_DIR === undefined ? dataFolders(data.DATA_DIR).models : resolve(data.MODELS_DIR),
      offline: data.MODELS_OFFLINE,
      /** The Hugging Face hub, or a mirror of it. */
      hub: data.HF_ENDPOINT.replace(/\/+$/, ''),
    },
    uploads: {
      /** Of one uploaded file. */
      maxBytes: data.ATTACHMENT_MAX_MB * 2 ** 20,
      /** Of all uploaded files of a tenant; 0: none are accepted. */
      maxTenantBytes: data.ATTACHMENTS_TENANT_MB * 2 ** 20,
      types: data.ATTACHMENT_TYPES,
    },
    /** Null: the sample is loaded if the embedded database is empty. */
    seedSample: data.SEED_SAMPLE ?? null,
    logLevel: data.LOG_LEVEL,
    production: data.NODE_ENV === 'production',
    /** Null: no authentication. */
    auth,
    /** Accepted host names, without a port; null: any, or without authentication those of loopback. */
    allowedHosts: data.ALLOWED_HOSTS?.map((host) => host.toLowerCase()) ?? null,
    /** Rate limit of a caller for each root field, per second; null: none. */
    rateLimit: rateLimit === 0 ? null : rateLimit,
    /** How long requests are still answered after `/readyz` reports that the gateway is stopping. */
    drainMs: data.DRAIN_SECONDS * 1_000,
    /** File of persisted operations; null: any operation is accepted. */
    operationsFile: data.OPERATIONS_FILE === undefined ? null : resolve(data.OPERATIONS_FILE),
    /** Whether the operations of the studio are accepted beside those of the file. */
    operationsStudio: data.OPERATIONS_STUDIO,
    /** Whether the API is a subgraph of Apollo Federation 2. */
    federation: data.FEDERATION,
    /** The OTLP collector for traces; null: no traces. */
    tracesEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
  };
}

function chatOf({ CHAT_BASE_URL: baseUrl, CHAT_API_KEY: apiKey, CHAT_MODEL: model }: Fields) {
  if (baseUrl === undefined || model === undefined) return null;
  return { model, baseUrl: baseUrl.replace(/\/+$/, ''), apiKey: apiKey ?? null };
}

const PARTS = ['postgres', 'chroma', 'vectors', 'words', 'embeddings', 'models', 'imports', 'exports'] as const;

/** Everything that the gateway creates in DATA_DIR. */
export const DATA_DIR_NAMES: readonly string[] = [...PARTS, 'gateway.lock'];

export function dataFolders(dataDir: string): Readonly<Record<(typeof PARTS)[number], string>> {
  const folders = PARTS.map((name) => [name, join(resolve(dataDir), name)]);
  return Object.fromEntries(folders);
}
