/** Exit codes of the gateway and all commands; from sysexits.h where it has one. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 64,
  input: 66,
  unavailable: 69,
  software: 70,
  output: 73,
  retry: 75,
  permission: 77,
  configuration: 78,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Exit status after a signal, as in shells: 128 plus the signal's number. */
export const EXIT_BY_SIGNAL = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGPIPE: 141, SIGTERM: 143 } as const;

/** A signal that ends the gateway or a command; SIGPIPE: the reader of standard output has closed it. */
export type EndingSignal = keyof typeof EXIT_BY_SIGNAL;

/** Meaning of each code, for the help text of the command line. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode | (typeof EXIT_BY_SIGNAL)[EndingSignal], string>> = {
  [EXIT.ok]: 'done',
  [EXIT.failed]:
    'the command failed: a row failed, a check found a problem, a regression threshold was missed, a name is unknown, the gateway refused it',
  [EXIT.usage]: 'the command line is wrong',
  [EXIT.input]: 'a file named on the command line is missing, unreadable or has the wrong format',
  [EXIT.unavailable]: 'a server, an endpoint or the port is not available',
  [EXIT.software]: 'an internal error of the command or the gateway',
  [EXIT.output]: 'a file or a database cannot be written',
  [EXIT.retry]: 'try again later: another gateway uses DATA_DIR, or the database without CHROMA_URL; too many requests',
  [EXIT.permission]: 'the credential is missing, not accepted, or may not do this',
  [EXIT.configuration]: 'the settings, or the servers and folders that they name, cannot be used',
  [EXIT_BY_SIGNAL.SIGHUP]: 'ended by SIGHUP',
  [EXIT_BY_SIGNAL.SIGINT]: 'ended by SIGINT (Ctrl-C)',
  [EXIT_BY_SIGNAL.SIGQUIT]: 'ended by SIGQUIT',
  [EXIT_BY_SIGNAL.SIGPIPE]: 'the reader of its output closed the pipe',
  [EXIT_BY_SIGNAL.SIGTERM]: 'ended by SIGTERM',
};

/** Exit code of a command by the GraphQL error code that the gateway returned; {@link EXIT.failed} for any other. */
const EXIT_BY_ERROR: ReadonlyMap<string, ExitCode> = new Map(
  Object.entries({
    UNAUTHENTICATED: EXIT.permission,
    FORBIDDEN: EXIT.permission,
    RATE_LIMITED: EXIT.retry,
    UNAVAILABLE: EXIT.unavailable,
    RESOURCE_EXHAUSTED: EXIT.unavailable,
    DEADLINE_EXCEEDED: EXIT.unavailable,
    INTERNAL: EXIT.software,
  }),
);

export function exitCodeOf(errorCode: string): ExitCode {
  return EXIT_BY_ERROR.get(errorCode) ?? EXIT.failed;
}
