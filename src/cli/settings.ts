import { type Config, parseConfig } from '../config/settings.js';

/** The settings of the gateway, which are those of its commands. StartupError (78) that lists every problem. */
export function settings(): Config {
  return parseConfig(process.env);
}

/** The credential for `--url`, or null. From the environment, because arguments are visible to other users. */
export function credential(): string | null {
  return process.env.ERRATA_TOKEN || null;
}
