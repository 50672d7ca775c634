import { rename, rm } from 'node:fs/promises';

/** How a program ends that cannot cope with what it reads; a kill from outside, or a wish to end, is another matter. */
const CRASHES: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE'];

/** Crashes in a row of a server that had come up, after which its data is taken for the cause. */
const CRASHES_IN_A_ROW = 3;

/** True where the program broke down by itself. */
export function isCrash(signalCode: NodeJS.Signals | null): boolean {
  return CRASHES.includes(signalCode);
}

/**
 * Puts the data of a server aside that it crashes on, so that it can begin anew: only for data that can be rebuilt. The last
 * of what was put aside is kept for whoever wants to look at it.
 */
export class SetAside {
  readonly #folder: string;
  #crashesInARow = 0;

  /** @param folder what the server reads and writes; aside is `<folder>.damaged`. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** True where the next start should begin with nothing. */
  get isDue(): boolean {
    return this.#crashesInARow >= CRASHES_IN_A_ROW;
  }

  /** Counts how a server that had come up ended. */
  ended(signalCode: NodeJS.Signals | null): void {
    this.#crashesInARow = isCrash(signalCode) ? this.#crashesInARow + 1 : 0;
  }

  /** The folder is gone afterwards. */
  async putAside(): Promise<void> {
    this.#crashesInARow = 0;
    await rm(this.#aside, { recursive: true, force: true });
    await rename(this.#folder, this.#aside);
  }

  /** The folder is as it was before: it was not the cause. */
  async putBack(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
    await rename(this.#aside, this.#folder);
  }

  get #aside(): string {
    return `${this.#folder}.damaged`;
  }
}
