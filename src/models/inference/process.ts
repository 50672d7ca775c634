import type { ChildProcess } from 'node:child_process';
import { packageRoot } from '../../config/package-root.js';
import { describeExit, drain, forkChild, whenEnded } from '../../runtime/embedded/child.js';
import type { Running } from '../../runtime/embedded/supervise.js';
import type { Job, LocalModel, News, Order, Outcome } from './protocol.js';

/** The program, compiled, relative to dist/. */
const PROGRAM = 'src/models/inference/program.js';

/** Loading the runtime's library takes some 300 ms; after this it hangs. */
const READY_MS = 60_000;

/** Most models load in seconds, from a cold disk a large one takes a minute. */
const LOAD_MS = 300_000;

/** The process ended, or was killed, while a job was open; `suspect`: that job was being run. */
export class ProcessGoneError extends Error {
  constructor(
    readonly suspect: boolean,
    how: string,
  ) {
    super(`the inference process was lost: ${how}`);
    this.name = 'ProcessGoneError';
  }
}

/** The model of a job cannot be loaded. */
export class JobFailedError extends Error {}

interface OpenJob {
  readonly job: Job;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One inference process. Jobs run in order; one that exceeds its deadline kills the process, and every open job fails.
 */
export class InferenceProcess implements Running {
  readonly ended: Promise<string>;
  readonly #open: OpenJob[] = [];
  #watch: NodeJS.Timeout | undefined;
  #killedFor: string | undefined;

  private constructor(
    private readonly child: ChildProcess,
    private readonly runMs: number,
    onLine: (line: string) => void,
  ) {
    const tail = drain(child, onLine);
    this.ended = whenEnded(child).then((failure) => {
      const how = this.#killedFor ?? failure ?? describeExit(child.exitCode, child.signalCode);
      return this.#killedFor === undefined && tail() !== '' ? `${how}\n${tail()}` : how;
    });
    // As soon as possible: open jobs are retried while the last lines of output are still read.
    child.once('exit', (code, signal) => this.#lose(this.#killedFor ?? describeExit(code, signal)));
  }

  /** Forks the process; resolves when it is ready for jobs. A job that runs longer than `runMs` kills it. */
  static async launch(runMs: number, onLine: (line: string) => void, signal: AbortSignal): Promise<InferenceProcess> {
    const child = forkChild(PROGRAM, [], packageRoot(), { serialization: 'advanced' });
    const launched = new InferenceProcess(child, runMs, onLine);
    const kill = (): boolean => child.kill('SIGKILL');
    const timer = setTimeout(kill, READY_MS);
    signal.addEventListener('abort', kill, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        child.on('message', (news: News) => {
          if (news.kind === 'ready') resolve();
          else launched.#hear(news);
        });
        void launched.ended.then((how) => reject(new Error(`the inference process did not start: ${how}`)));
      });
      return launched;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** False as soon as it ends, which is before {@link ended} resolves. */
  get alive(): boolean {
    return this.child.connected;
  }

  /**
   * Result of the job. ProcessGoneError if the process ended first, JobFailedError if the model cannot be loaded. The
   * signal cancels a job that has not started.
   */
  async run(job: Job, signal: AbortSignal): Promise<Outcome> {
    if (!this.alive) throw new ProcessGoneError(false, 'it has ended');
    const cancel = (): void => this.#send({ kind: 'cancel', id: job.id });
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        this.#open.push({ job, resolve, reject });
        this.#send({ kind: 'run', job });
        if (this.#open.length === 1) this.#watchFirst();
      });
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Frees the model's memory, after the jobs sent before. */
  unload(model: LocalModel): void {
    this.#send({ kind: 'unload', model });
  }

  /** Kills the process: it has no state to save, and a native run cannot be interrupted. */
  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  #send(order: Order): void {
    // If the process has just ended, its open jobs are rejected anyway.
    if (this.child.connected) this.child.send(order, () => undefined);
  }

  #hear(news: Exclude<News, { kind: 'ready' }>): void {
    const [first] = this.#open;
    if (first?.job.id !== news.id) throw new Error(`job ${news.id} was answered instead of ${first?.job.id}`);
    if (news.kind === 'begun') {
      this.#expectWithin(this.runMs, 'a run did not end');
      return;
    }
    this.#open.shift();
    this.#watchFirst();
    if (news.kind === 'failed') first.reject(new JobFailedError(news.reason));
    else first.resolve(news.outcome);
  }

  /** Watches the deadline of the running job, the first open one; its model may have to be loaded before. */
  #watchFirst(): void {
    clearTimeout(this.#watch);
    if (this.#open.length > 0) this.#expectWithin(LOAD_MS, 'a model did not load');
  }

  #expectWithin(ms: number, what: string): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => {
      this.#killedFor = `${what} within ${ms / 1000} s`;
      this.child.kill('SIGKILL');
    }, ms);
  }

  #lose(how: string): void {
    clearTimeout(this.#watch);
    for (const [place, { reject }] of this.#open.splice(0).entries()) reject(new ProcessGoneError(place === 0, how));
  }
}
