import type { ChildProcess } from 'node:child_process';
import { once } from '../../domain/async.js';
import { asError, BadInputError } from '../../domain/errors.js';
import { describeExit, drain, forkChild, whenEnded } from '../embedded/child.js';
import { type Call, type Calls, RESET, type Reply, type WorkerLimits, type WorkerProgram } from './protocol.js';

/** Deadline of an answer: a worker that uses no CPU time until then hangs. */
const ANSWER_MS = 900_000;

/** The worker was killed because it exceeded a limit or a deadline, or by the system for lack of memory. */
export class WorkerSpentError extends Error {
  constructor(
    limit: string,
    readonly how: string,
  ) {
    super(`it takes more than ${limit}`);
    this.name = 'WorkerSpentError';
  }
}

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A child process for heavy work, so that it takes neither time nor memory of the gateway. A call rejects with
 * WorkerSpentError if the process exceeds its limits, or the call its deadline, and with the signal's reason once that
 * aborts.
 */
export class WorkerProcess<C extends Calls> {
  readonly #child: ChildProcess;
  readonly #limits: WorkerLimits;
  #signal: AbortSignal;
  readonly #ended: Promise<void>;
  #pending: Pending | undefined;
  #gone: Error | undefined;
  /** Set when the deadline of a call has passed. */
  #isLate = false;
  #isClosing = false;

  /** Forks the process in a folder; the signal kills it. */
  constructor({ module, limits }: WorkerProgram, folder: string, signal: AbortSignal) {
    signal.throwIfAborted();
    const execArgv = [`--max-old-space-size=${Math.ceil(limits.memoryMb / 2)}`];
    this.#child = forkChild(module, [JSON.stringify(limits)], folder, {
      serialization: 'advanced',
      execArgv,
      isBackground: true,
    });
    this.#limits = limits;
    this.#signal = signal;
    const tail = drain(this.#child, () => undefined);
    this.#ended = whenEnded(this.#child).then((failure) => this.#lose(failure, tail()));
    this.#child.on('message', (reply: Reply) => this.#hear(reply));
    signal.addEventListener('abort', this.#kill, { once: true });
  }

  /** The signal of the next job, which kills the process; only after {@link reset}. False if the process is gone. */
  begin(signal: AbortSignal): boolean {
    this.#signal = signal;
    signal.addEventListener('abort', this.#kill, { once: true });
    return this.#gone === undefined;
  }

  /** Ends a job: its signal no longer kills the process. Whether the process is fit for another job. */
  async reset(): Promise<boolean> {
    const fit = await this.#ask<boolean>(RESET, RESET);
    this.#signal.removeEventListener('abort', this.#kill);
    return fit;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Calls a function of the program; one at a time. */
  call<Name extends keyof C & string>(
    name: Name,
    given: Parameters<C[Name]>[0],
  ): Promise<Awaited<ReturnType<C[Name]>>> {
    return this.#ask(name, { name, given });
  }

  #ask<T>(name: string, message: Call | typeof RESET): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#pending !== undefined) throw new Error(`${name} was called while another call was pending`);
      if (this.#signal.aborted) throw asError(this.#signal.reason);
      if (this.#gone !== undefined) throw this.#gone;
      const late = setTimeout(() => {
        this.#isLate = true;
        this.#kill();
      }, ANSWER_MS);
      const settled = <T>(settle: (value: T) => void): ((value: T) => void) => {
        return (value) => {
          clearTimeout(late);
          this.#pending = undefined;
          settle(value);
        };
      };
      this.#pending = { resolve: settled(resolve), reject: settled(reject) };
      // If the process has just ended, its exit event rejects the call.
      this.#child.send(message, () => undefined);
    });
  }

  readonly close = once(async () => {
    this.#isClosing = true;
    this.#kill();
    await this.#ended;
  });

  #hear(reply: Reply): void {
    if (reply.kind === 'answer') this.#pending?.resolve(reply.answer as never);
    else if (reply.kind === 'refused') this.#pending?.reject(new BadInputError(reply.field, reply.problem));
    else {
      const { message, stack, code } = reply;
      this.#pending?.reject(Object.assign(new Error(message), { stack, ...(code !== null && { code }) }));
    }
  }

  readonly #kill = (): void => void this.#child.kill('SIGKILL');

  #lose(failure: string | null, tail: string): void {
    this.#signal.removeEventListener('abort', this.#kill);
    const { exitCode, signalCode } = this.#child;
    const how = `${failure ?? describeExit(exitCode, signalCode)}${tail === '' ? '' : `\n${tail}`}`;
    if (this.#signal.aborted) this.#gone = asError(this.#signal.reason);
    else if (this.#isClosing) this.#gone = new Error('the worker was closed');
    else if (this.#isLate) this.#gone = new WorkerSpentError(`${ANSWER_MS / 60_000} minutes`, how);
    // V8 aborts a process without memory by SIGABRT.
    else if (signalCode !== null) this.#gone = new WorkerSpentError(describeLimits(this.#limits), how);
    else this.#gone = new Error(`a worker process was lost: ${how}`);
    this.#pending?.reject(this.#gone);
  }
}

function describeLimits({ cpuMs, memoryMb }: WorkerLimits): string {
  return `${cpuMs / 1_000} s of processor time or ${memoryMb} MB of memory`;
}
