import { type Config, parseConfig } from '../config.js';

/** The settings of the gateway, which are those of its commands. StartupError (78) that lists every problem. */
export function settings(): Config {
  return parseConfig(process.env);
}
