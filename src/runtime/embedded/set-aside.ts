import { rename, rm } from 'node:fs/promises';
import { asError, StartupError } from '../../domain/errors.js';

/** Signals of a crash, as opposed to being stopped or killed. */
const CRASHES: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE'];

/** After this many consecutive crashes of a server that had started, its data is assumed to be the cause. */
const CRASHES_IN_A_ROW = 3;

export function isCrash(signalCode: NodeJS.Signals | null): boolean {
  return CRASHES.includes(signalCode);
}

/**
 * Moves data aside that a server crashes on, so that it can start with an empty folder: only for data that can be
 * rebuilt. The last folder moved aside is kept for inspection.
 */
export class SetAside {
  #crashesInARow = 0;

  /** @param folder the server's data, which is moved to `<folder>.damaged` */
  constructor(private readonly folder: string) {}

  /** True if the next start should use an empty folder. */
  get isDue(): boolean {
    return this.#crashesInARow >= CRASHES_IN_A_ROW;
  }

  /** Records the end of a server that had started. */
  ended(signalCode: NodeJS.Signals | null): void {
    this.#crashesInARow = isCrash(signalCode) ? this.#crashesInARow + 1 : 0;
  }

  /**
   * Runs `start` with the data moved aside. If it fails too, the data was not the cause, and is put back. StartupError
   * that names the crash if they cannot be moved.
   */
  async tryWithout<T>(start: () => Promise<T>, crash: StartupError): Promise<T> {
    await this.moveAside().catch((thrown: unknown) => {
      const problem = `${crash.message}; its data cannot be moved aside: ${asError(thrown).message}`;
      throw new StartupError(problem, crash.exitCode, { cause: crash });
    });
    try {
      return await start();
    } catch (thrown) {
      await this.#restore();
      throw thrown;
    }
  }

  async moveAside(): Promise<void> {
    this.#crashesInARow = 0;
    await rm(this.#aside, { recursive: true, force: true });
    await rename(this.folder, this.#aside);
  }

  /** Undoes {@link moveAside}. Only after it has resolved: otherwise the folder is still the only copy of the data. */
  async #restore(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await rename(this.#aside, this.folder);
  }

  get #aside(): string {
    return `${this.folder}.damaged`;
  }
}
