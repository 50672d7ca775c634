import { ALGORITHMS } from './access-settings.js';
import { isLoopback } from './loopback.js';

/** The variables that are set, as they were written. */
export type Given = Readonly<Record<string, string>>;

export interface Problem {
  readonly variable: string;
  readonly message: string;
}

/** Rules between settings. They see texts, not values, so that one bad value hides no other problem. */
export function conflicts(given: Given): readonly Problem[] {
  const has = (name: string): boolean => name in given;
  const problems: Problem[] = [];
  const refuse = (variable: string, message: string): void => void problems.push({ variable, message });

  const takesTokens = has('JWT_SECRET') || has('JWT_JWKS_URL');
  if (has('JWT_SECRET') && has('JWT_JWKS_URL')) refuse('JWT_SECRET', 'must be left out where JWT_JWKS_URL is set');
  for (const name of ['JWT_ISSUER', 'JWT_AUDIENCE']) {
    if (takesTokens && !has(name)) refuse(name, 'is required where tokens are taken');
    if (!takesTokens && has(name)) refuse(name, 'has no effect without JWT_SECRET or JWT_JWKS_URL');
  }
  const possible: readonly string[] = ALGORITHMS[has('JWT_SECRET') ? 'secret' : 'jwks'];
  if (takesTokens && given.JWT_ALGORITHMS?.split(',').some((name) => !possible.includes(name.trim()))) {
    refuse('JWT_ALGORITHMS', `must be among ${possible.join(', ')}`);
  }

  const { HOST: host = '127.0.0.1', API_KEYS: apiKeys = 'false' } = given;
  if (!takesTokens && ['false', '0'].includes(apiKeys) && !isLoopback(host)) {
    const remedy = 'set API_KEYS=true, JWT_SECRET or JWT_JWKS_URL, or HOST=127.0.0.1';
    refuse('HOST', `others can reach ${host}, and there is no authentication: ${remedy}`);
  }

  if (given.EMBEDDING_MODEL?.startsWith('openai:') && !has('EMBEDDING_BASE_URL')) {
    refuse('EMBEDDING_BASE_URL', 'must name the endpoint, such as https://api.openai.com/v1');
  }
  if (has('CHAT_BASE_URL') && !has('CHAT_MODEL')) refuse('CHAT_MODEL', 'is required where CHAT_BASE_URL is set');
  for (const name of ['CHAT_MODEL', 'CHAT_API_KEY']) {
    if (has(name) && !has('CHAT_BASE_URL')) refuse(name, 'has no effect without CHAT_BASE_URL');
  }
  if (has('OPERATIONS_STUDIO') && !has('OPERATIONS_FILE')) {
    refuse('OPERATIONS_STUDIO', 'has no effect without OPERATIONS_FILE');
  }
  const ofChroma = ['CHROMA_API_KEY', 'CHROMA_TENANT', 'CHROMA_DATABASE', 'CHROMA_CLOUD'].filter(has);
  if (!has('CHROMA_URL') && ofChroma.length > 0) {
    refuse('CHROMA_URL', `must name the server that ${ofChroma.join(', ')} ${ofChroma.length > 1 ? 'are' : 'is'} for`);
  }
  return problems;
}
