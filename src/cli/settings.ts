import { misspeltIn } from '../config/misspelt.js';
import { type Config, parseConfig } from '../config/settings.js';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';

/** The settings of the gateway, which are those of its commands. StartupError (78) that lists every problem. */
export function settings(): Config {
  return parseConfig(process.env);
}

/** Messages for variables that look like misspelt settings. */
export function misspelt(): readonly string[] {
  return misspeltIn(process.env);
}

/**
 * The credential for `--url`, or null. From the environment, because arguments are visible to other users. StartupError
 * (77) if no header can have it; `fetch` would throw an error with the credential in its message.
 */
export function credential(env: NodeJS.ProcessEnv = process.env): string | null {
  // A secret that is read from a file often ends with a line break.
  const token = env.ERRATA_TOKEN?.trim() || null;
  if (token === null || /^[\x21-\x7e]+$/.test(token)) return token;
  const problem = 'ERRATA_TOKEN must be the API key or token alone, but has blanks, line breaks or other characters';
  throw new StartupError(
    `${problem}; \`npm run -s errata -- keys create ...\` prints nothing but the key`,
    EXIT.permission,
  );
}
