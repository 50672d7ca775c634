import { BlockList, isIP } from 'node:net';
import { ALGORITHMS } from './access-settings.js';

/** The variables that are set, as they were written. */
export type Given = Readonly<Record<string, string>>;

export interface Problem {
  readonly variable: string;
  readonly message: string;
}

const OF_TOKENS = [
  'JWT_ISSUER',
  'JWT_AUDIENCE',
  'JWT_ALGORITHMS',
  'JWT_MAX_AGE_HOURS',
  'JWT_TENANT_CLAIM',
  'JWT_ROLE_CLAIM',
];

const OF_MODELS = [
  'EMBEDDING_DIMS',
  'EMBEDDING_POOLING',
  'EMBEDDING_MAX_TOKENS',
  'EMBEDDING_DTYPE',
  'EMBEDDING_QUERY_PREFIX',
  'EMBEDDING_PASSAGE_PREFIX',
  'EMBEDDING_PERSPECTIVE_PREFIXES',
];

/**
 * Settings that have no effect without another one. The endpoint of embeddings has one with any model: an index that
 * was built with a model behind it is searched with that until the new one replaces it.
 */
const DEPENDENT: readonly (readonly [name: string, needed: string])[] = [
  ...['EMBEDDING_BASE_URL', ...OF_MODELS].map((name) => [name, 'EMBEDDING_MODEL'] as const),
  ['EMBEDDING_API_KEY', 'EMBEDDING_BASE_URL'],
  ['CHAT_MODEL', 'CHAT_BASE_URL'],
  ['CHAT_API_KEY', 'CHAT_BASE_URL'],
  ['OPERATIONS_STUDIO', 'OPERATIONS_FILE'],
];

/** Flags that are off by default: written out, the default needs no other setting. */
const FLAGS: ReadonlySet<string> = new Set(['OPERATIONS_STUDIO', 'CHROMA_CLOUD', 'EMBEDDING_PERSPECTIVE_PREFIXES']);

const OFF: readonly (string | undefined)[] = ['false', '0'];

/** Rules between settings. They see texts, not values, so that one bad value hides no other problem. */
export function conflicts(given: Given): readonly Problem[] {
  const has = (name: string): boolean => name in given;
  const hasEffect = (name: string): boolean => has(name) && !(FLAGS.has(name) && OFF.includes(given[name]));
  const problems: Problem[] = [];
  const refuse = (variable: string, message: string): void => void problems.push({ variable, message });

  const takesTokens = has('JWT_SECRET') || has('JWT_JWKS_URL');
  if (has('JWT_SECRET') && has('JWT_JWKS_URL')) refuse('JWT_SECRET', 'must not be set together with JWT_JWKS_URL');
  for (const name of ['JWT_ISSUER', 'JWT_AUDIENCE']) {
    if (takesTokens && !has(name)) refuse(name, 'is required with JWT_SECRET or JWT_JWKS_URL');
  }
  for (const name of OF_TOKENS) {
    if (!takesTokens && has(name)) refuse(name, 'has no effect without JWT_SECRET or JWT_JWKS_URL');
  }
  const possible: readonly string[] = ALGORITHMS[has('JWT_SECRET') ? 'secret' : 'jwks'];
  if (takesTokens && given.JWT_ALGORITHMS?.split(',').some((name) => !possible.includes(name.trim()))) {
    refuse('JWT_ALGORITHMS', `must be among ${possible.join(', ')}`);
  }

  const { HOST: host = '127.0.0.1', API_KEYS: apiKeys = 'false' } = given;
  if (!takesTokens && OFF.includes(apiKeys) && !isLoopback(host)) {
    const remedy = 'set API_KEYS=true, JWT_SECRET or JWT_JWKS_URL, or HOST=127.0.0.1';
    refuse('HOST', `others can reach ${host}, and there is no authentication: ${remedy}`);
  }

  if (given.EMBEDDING_MODEL?.startsWith('openai:') && !has('EMBEDDING_BASE_URL')) {
    refuse('EMBEDDING_BASE_URL', 'must name the endpoint, such as https://api.openai.com/v1');
  }
  for (const name of given.EMBEDDING_MODEL === 'builtin' ? OF_MODELS.filter(hasEffect) : []) {
    refuse(name, 'has no effect with EMBEDDING_MODEL=builtin');
  }
  if (has('CHAT_BASE_URL') && !has('CHAT_MODEL')) refuse('CHAT_MODEL', 'is required with CHAT_BASE_URL');
  for (const [name, needed] of DEPENDENT) {
    if (hasEffect(name) && !has(needed)) refuse(name, `has no effect without ${needed}`);
  }
  if (has('TUTOR_LOG') && given.TUTOR_LOG !== 'off' && !has('CHAT_BASE_URL')) {
    refuse('TUTOR_LOG', 'has no effect without CHAT_BASE_URL');
  }
  const ofChroma = ['CHROMA_API_KEY', 'CHROMA_TENANT', 'CHROMA_DATABASE', 'CHROMA_CLOUD'].filter(hasEffect);
  if (!has('CHROMA_URL') && ofChroma.length > 0) {
    refuse('CHROMA_URL', `must name the server that ${ofChroma.join(', ')} ${ofChroma.length > 1 ? 'are' : 'is'} for`);
  }
  return problems;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** True if only programs on this machine can reach an address. Names other than localhost may resolve to anything. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
