import { type Config, parseConfig } from '../config/settings.js';

/** The settings of the gateway, which are those of its commands. StartupError (78) that lists every problem. */
export function settings(): Config {
  return parseConfig(process.env);
}

/** The API key or token that `--url` is asked with; null where there is none. In the environment, because others see arguments. */
export function credential(): string | null {
  return process.env.ERRATA_TOKEN || null;
}
