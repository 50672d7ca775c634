import { abortable, once } from '../../domain/async.js';
import { asError, UnavailableError } from '../../domain/errors.js';
import { Turns } from '../../domain/turns.js';
import { type EmbeddedLog, type Supervised, supervise } from '../../runtime/embedded/supervise.js';
import { InferenceProcess, JobFailedError, ProcessGoneError } from './process.js';
import type { Job, LocalModel, Outcome } from './protocol.js';

/** Concurrent jobs: while one runs, the next is already in the process; urgent ones wait for at most these. */
const UNDER_WAY = 2;

/** A job is sized to some 50 ms, and its longest text takes seconds on a slow machine: after this it hangs. */
const RUN_MS = 30_000;

/** Runs jobs in a child process, which is started for the first job, and restarted whenever it ends. */
export class Inference {
  /** Callers of {@link run} take a turn for each job. */
  readonly turns = new Turns(UNDER_WAY);
  readonly #closing = new AbortController();
  readonly #waiting: { readonly up: () => void; readonly down: (error: Error) => void }[] = [];
  #supervised: Promise<Supervised> | undefined;
  #process: InferenceProcess | undefined;
  #failure: UnavailableError | undefined;
  #lastId = 0;

  constructor(
    private readonly log: EmbeddedLog,
    private readonly runMs = RUN_MS,
  ) {}

  /** Null while it is down. */
  get pid(): number | null {
    return this.#process?.alive ? this.#process.pid : null;
  }

  /**
   * Runs one job. A job whose process was lost is repeated; if the job may be the cause, only once, and only if it has
   * a single text; then ProcessGoneError. UnavailableError if the process cannot be started or the model not loaded.
   */
  async run(job: Omit<Job, 'id'>, signal: AbortSignal): Promise<Outcome> {
    for (let losses = 0; ; ) {
      const process = await this.#up(signal);
      this.#lastId += 1;
      try {
        return await abortable(process.run({ ...job, id: this.#lastId }, signal), signal);
      } catch (thrown) {
        signal.throwIfAborted();
        if (thrown instanceof JobFailedError) throw unavailable(job.model, thrown.message);
        if (!(thrown instanceof ProcessGoneError)) throw thrown;
        if (thrown.suspect) losses += 1;
        if (losses > 1 || (losses === 1 && job.texts.length > 1)) throw thrown;
      }
    }
  }

  /** Frees a model's memory; it is loaded again when a job needs it. */
  unload(model: LocalModel): void {
    this.#process?.unload(model);
  }

  readonly close = once(async () => {
    const closed = new UnavailableError('embedder', 'it is stopping');
    this.#closing.abort(closed);
    this.#fail(closed);
    const supervised = await this.#supervised?.catch(() => undefined);
    await supervised?.close();
  });

  /** Resolves with the process as soon as it runs. */
  async #up(signal: AbortSignal): Promise<InferenceProcess> {
    this.#closing.signal.throwIfAborted();
    signal.throwIfAborted();
    if (this.#process?.alive) return this.#process;
    if (this.#supervised === undefined) {
      const starting = this.#supervise();
      this.#supervised = starting;
      // The next job may retry a failed first start.
      starting.catch(() => {
        this.#supervised = undefined;
      });
    } else if (this.#failure !== undefined) throw this.#failure;
    await abortable(new Promise<void>((up, down) => this.#waiting.push({ up, down })), signal);
    return this.#up(signal);
  }

  async #supervise(): Promise<Supervised> {
    const launch = async (starting: AbortSignal): Promise<InferenceProcess> => {
      try {
        const onLine = (line: string): void => this.log.debug({ part: 'inference' }, line);
        const launched = await InferenceProcess.launch(this.runMs, onLine, starting);
        this.#process = launched;
        this.#failure = undefined;
        void launched.ended.then(() => {
          if (this.#process === launched) this.#process = undefined;
        });
        for (const { up } of this.#waiting.splice(0)) up();
        return launched;
      } catch (thrown) {
        this.#fail(new UnavailableError('embedder', asError(thrown).message));
        throw thrown;
      }
    };
    const { signal } = this.#closing;
    return supervise({ name: 'inference', launch, log: this.log, signal });
  }

  #fail(failure: UnavailableError): void {
    this.#failure = failure;
    for (const { down } of this.#waiting.splice(0)) down(failure);
  }
}

function unavailable({ repository, pooling }: LocalModel, reason: string): UnavailableError {
  return new UnavailableError(pooling === null ? 'reranker' : 'embedder', `${repository}: ${reason}`);
}
