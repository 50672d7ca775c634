import { z } from 'zod';
import { FILE_TYPES, type FileType } from '../domain/attachment.js';
import { DTYPES } from '../domain/ports/models.js';

/** HMAC with SHA-256 needs a key as long as its hash (RFC 7518, 3.2); a shorter one can be found by brute force. */
const MIN_SECRET_BYTES = 32;

const flag = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((value) => value === 'true' || value === '1');

const list = z
  .string()
  .transform((text) => text.split(',').map((word) => word.trim()))
  .refine((words) => words.every((word) => word !== ''), 'must be words with commas between them');

/** A whole number; `zero` says what 0 stands for. */
const whole = (least: number, most: number, what: string, zero?: string) =>
  z
    .string()
    .refine(
      (text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most,
      `must be ${what}, ${least}${zero === undefined ? '' : ` (${zero})`} to ${most}`,
    )
    .transform(Number);

/** A settings file or Docker Compose does not replace it, and a folder named `~` would be created. */
const path = z.string().regex(/^[^~]/, 'must not start with ~, which only a shell replaces: write the whole path');

const serverUrl = (protocols: readonly string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')} and has a valid host and port`,
    abort: true,
  });

/** Undici's error for a URL with a user contains its password, and would be logged. */
function hasUser(url: string): boolean {
  return URL.canParse(url) && new URL(url).username + new URL(url).password !== '';
}

const WITHOUT_USER = 'must not contain a user or a password';

/** The URL of a server; paths are appended to it. */
const httpUrl = serverUrl(['http:', 'https:']).refine(
  (url) => !/[?#]/.test(url),
  'must not contain a query or a fragment',
);

/** As {@link httpUrl}, of an endpoint that undici calls. */
const baseUrl = httpUrl.refine((url) => !hasUser(url), WITHOUT_USER);

/** Sent as a header: undici's error for any other character contains the value, and would be logged. */
const credential = z
  .string()
  .trim()
  .regex(/^[\x20-\x7e]+$/, 'must be one line of ASCII characters');

/** Chroma's client uses nothing else of the URL. */
function isOrigin(url: string): boolean {
  const { username, password, pathname, search } = new URL(url);
  return username === '' && password === '' && pathname === '/' && search === '';
}

const HOST_FORM =
  'must be host names as in a URL, without scheme, port and wildcards, such as errata.example.org or [::1]';

/** As the gateway reads the Host header: a name, an IPv4 address, or an IPv6 address in brackets. */
function isHostName(word: string): boolean {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(word) && hostNameOf(word) === word.toLowerCase();
}

/** As a URL has it: an international name in Punycode, an address in its shortest form. */
function hostNameOf(word: string): string | null {
  const url = `http://${word}/`;
  return URL.canParse(url) ? new URL(url).hostname : null;
}

/** What is wrong with a list of host names; an international name is said as browsers send it. */
function hostProblem({ input }: { readonly input?: unknown }): string {
  const wrong = (input as readonly string[]).find((word) => !isHostName(word)) ?? '';
  const sent = /^[^\s/:@?#%*]+$/.test(wrong) ? hostNameOf(wrong) : null;
  return sent === null ? HOST_FORM : `${HOST_FORM}: write ${wrong} as ${sent}`;
}

/** Keys fetched over unencrypted HTTP could be forged. */
function isTrustworthy(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname));
}

/** `organisation/name`, without path traversal. */
export const HUGGING_FACE_ID = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

const embeddingModel = z
  .string()
  .refine(
    (name) => name === 'builtin' || HUGGING_FACE_ID.test(name) || /^openai:[\w.:/-]+$/.test(name),
    'must be builtin, a Hugging Face id such as Xenova/bge-small-zh-v1.5, or openai:<model>',
  );

/** Each variable that the gateway reads, validated separately. */
export const fields = z.object({
  PORT: whole(0, 65_535, 'a port', 'any free one').default(4000),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: path.default('./data'),
  DATABASE_URL: serverUrl(['postgres:', 'postgresql:']).optional(),
  CHROMA_URL: serverUrl(['http:', 'https:'])
    .refine(isOrigin, 'must have a scheme, a host and at most a port, such as http://chroma:8000')
    .optional(),
  CHROMA_API_KEY: credential.optional(),
  CHROMA_TENANT: z.string().optional(),
  CHROMA_DATABASE: z.string().optional(),
  CHROMA_CLOUD: flag.default(false),
  CHROMA_COLLECTION_RECORDS: whole(100, 1_000_000_000, 'a number of records').optional(),
  SEARCH_PROFILE: z.string().normalize('NFC').max(100, 'must have at most 100 characters').default('default'),
  LEARN_WEIGHTS: flag.default(true),
  FIT_SCHEDULES: flag.default(true),
  SEARCH_LOG: z.enum(['off', 'hashes', 'texts']).default('off'),
  SEARCH_LOG_DAYS: whole(0, 36_500, 'a number of days', 'no end').default(90),
  MCP_WRITES: flag.default(false),
  CLASS_MIN_STUDENTS: whole(1, 999, 'a number of students').default(3),
  ATTACHMENT_MAX_MB: whole(1, 10, 'a number of megabytes').default(5),
  ATTACHMENTS_TENANT_MB: whole(0, 999_999, 'a number of megabytes', 'no uploads').default(1024),
  ATTACHMENT_TYPES: list
    .refine(
      (types): types is FileType[] => types.every((type) => (FILE_TYPES as readonly string[]).includes(type)),
      `must be some of ${FILE_TYPES.join(', ')}, with commas between them`,
    )
    .default([...FILE_TYPES]),
  SEARCH_EXACT_LIMIT: whole(0, 99_999_999, 'a number of cards', 'none').default(Number.POSITIVE_INFINITY),
  CHROMA_ABOVE_CARDS: whole(0, 5_000, 'a number of cards', 'every tenant').default(1_000),
  SEARCH_THREADS: whole(0, 99, 'a number of threads', 'none').optional(),
  VECTOR_CACHE_MB: whole(1, 999_999, 'a number of megabytes').default(32),
  INDEX_MEMORY_MB: whole(1, 999_999, 'a number of megabytes').default(1024),
  EMBEDDING_MODEL: embeddingModel.default('builtin'),
  EMBEDDING_DIMS: whole(1, 999_999, 'a number').optional(),
  EMBEDDING_POOLING: z.enum(['mean', 'cls', 'last_token']).optional(),
  EMBEDDING_MAX_TOKENS: whole(16, 999_999, 'a number of tokens').optional(),
  EMBEDDING_DTYPE: z.enum(DTYPES).optional(),
  EMBEDDING_QUERY_PREFIX: z.string().optional(),
  EMBEDDING_PASSAGE_PREFIX: z.string().optional(),
  EMBEDDING_PERSPECTIVE_PREFIXES: flag.default(false),
  EMBEDDING_BASE_URL: baseUrl.optional(),
  EMBEDDING_API_KEY: credential.optional(),
  RERANKER_MODEL: z
    .string()
    .regex(HUGGING_FACE_ID, 'must be a Hugging Face id such as BAAI/bge-reranker-base')
    .optional(),
  CHAT_BASE_URL: baseUrl.optional(),
  CHAT_API_KEY: credential.optional(),
  CHAT_MODEL: z.string().max(200, 'must have at most 200 characters').optional(),
  TUTOR_LOG: z.enum(['off', 'texts']).default('off'),
  MODELS_DIR: path.optional(),
  MODELS_OFFLINE: flag.default(false),
  HF_ENDPOINT: baseUrl.default('https://huggingface.co'),
  SEED_SAMPLE: flag.optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  NODE_ENV: z
    .string()
    .refine(
      (value) => value === 'production' || !/^\s*prod/i.test(value),
      'must be production, in lower case, to turn off introspection',
    )
    .optional(),
  API_KEYS: flag.default(false),
  JWT_SECRET: z
    .string()
    .refine((secret) => Buffer.byteLength(secret) >= MIN_SECRET_BYTES, `must have ${MIN_SECRET_BYTES} bytes or more`)
    .optional(),
  JWT_JWKS_URL: z
    .string()
    .refine(isTrustworthy, 'must be a URL that starts with https://')
    .refine((url) => !hasUser(url), WITHOUT_USER)
    .optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
  JWT_ALGORITHMS: list.optional(),
  JWT_MAX_AGE_HOURS: whole(1, 9_999, 'a number of hours').default(24),
  JWT_TENANT_CLAIM: z.string().default('tenant'),
  JWT_ROLE_CLAIM: z.string().default('role'),
  ALLOWED_HOSTS: list.refine((words) => words.every(isHostName), { error: hostProblem }).optional(),
  DRAIN_SECONDS: whole(0, 99, 'a number of seconds').default(0),
  OPERATIONS_FILE: path.optional(),
  OPERATIONS_STUDIO: flag.default(false),
  FEDERATION: flag.default(false),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  RATE_LIMIT: whole(0, 999_999, 'a number a second', 'none').optional(),
});

export type Fields = z.infer<typeof fields>;
