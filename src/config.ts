import { join, resolve } from 'node:path';
import { z } from 'zod';
import { type AuthSettings, authSettings, flag, list } from './config-auth.js';
import { StartupError } from './errors.js';

/** Where a part runs: a server that was named, or one that the gateway starts and stops itself. */
export type Server = { readonly kind: 'external'; readonly url: string } | { readonly kind: 'embedded' };

/** The settings, complete and checked; README lists them with their consequences. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly database: Server;
  readonly chroma: Server;
  readonly embeddingModel: 'builtin';
  /** How much memory the vectors of the cards used last may take, in MB (2^20 bytes). */
  readonly vectorCacheMb: number;
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
  EMBEDDING_MODEL: z.literal('builtin', 'this version has one embedding model, builtin').default('builtin'),
  VECTOR_CACHE_MB: z
    .string()
    .regex(/^\d{1,6}$/, 'must be a number of megabytes')
    .transform(Number)
    .refine((megabytes) => megabytes >= 1, 'must be at least 1')
    .default(128),
  SEED_SAMPLE: flag.optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  NODE_ENV: z.string().optional(),
  ALLOWED_HOSTS: list.optional(),
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
  const server = (url: string | undefined): Server =>
    url === undefined ? { kind: 'embedded' } : { kind: 'external', url };
  return {
    port: data.PORT,
    host: data.HOST,
    dataDir: resolve(data.DATA_DIR),
    database: server(data.DATABASE_URL),
    chroma: server(data.CHROMA_URL),
    embeddingModel: data.EMBEDDING_MODEL,
    vectorCacheMb: data.VECTOR_CACHE_MB,
    seedSample: data.SEED_SAMPLE ?? null,
    logLevel: data.LOG_LEVEL,
    production: data.NODE_ENV === 'production',
    auth: auth.data,
    allowedHosts: data.ALLOWED_HOSTS?.map((host) => host.toLowerCase()) ?? null,
    rateLimit: rateLimit === 0 ? null : rateLimit,
    operationsFile: data.OPERATIONS_FILE === undefined ? null : resolve(data.OPERATIONS_FILE),
    tracesEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
  };
}

/** The folders under DATA_DIR, by what they keep. */
export function dataFolders(dataDir: string): { postgres: string; chroma: string; vectors: string; words: string } {
  return {
    postgres: join(dataDir, 'postgres'),
    chroma: join(dataDir, 'chroma'),
    vectors: join(dataDir, 'vectors'),
    words: join(dataDir, 'words'),
  };
}
