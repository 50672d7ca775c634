/** The subset of pino's logger that the embedded servers use. */
export interface Log {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** How an embedded server is started. */
export interface EmbeddedOptions {
  /** The folder of this server alone; it is made where it is missing. Its data directory must be locked by us. */
  readonly dataDir: string;
  readonly log: Log;
  /** Ends a start that is under way; what was started is stopped before the rejection. */
  readonly signal: AbortSignal;
}
