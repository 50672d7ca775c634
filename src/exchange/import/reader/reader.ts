import type { ChildProcess } from 'node:child_process';
import { dirname } from 'node:path';
import { once, slicesOf } from '../../../domain/async.js';
import { asError, BadInputError } from '../../../domain/errors.js';
import { tellingChars } from '../../../domain/occurrence.js';
import type { CardDraft, Folded, NotebookView, WantedCards } from '../../../domain/ports/notebooks.js';
import { describeExit, drain, forkChild, whenEnded } from '../../../runtime/embedded/child.js';
import {
  type Answers,
  type CheckedFile,
  type FileToRead,
  type Question,
  type ReaderLimits,
  type ReaderSpec,
  type Reply,
  SLICE_CHARS,
} from './protocol.js';

/** The program, compiled, relative to dist/. */
const PROGRAM = 'src/exchange/import/reader/program.js';

/**
 * What one file may take. 126 MB of JSON Lines took 23 s of a processor and 176 MB, a workbook with 46 million characters of text
 * 374 MB, and no file that is accepted is larger. A file that needs more fails; the imports of others wait no longer than this.
 */
export const READER_LIMITS: ReaderLimits = { cpuMs: 120_000, memoryMb: 768 };

/** A reader that uses no processor time and does not answer hangs. */
const ANSWER_MS = 900_000;

/** The reader was ended because it had used more than it may, or by the system for lack of memory. */
export class ReaderSpentError extends Error {
  constructor(
    { cpuMs, memoryMb }: ReaderLimits,
    readonly how: string,
  ) {
    super(`reading it takes more than ${cpuMs / 1_000} s of processor time or ${memoryMb} MB of memory`);
    this.name = 'ReaderSpentError';
  }
}

interface Pending {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A process that reads one file: whatever is in the file, neither its time nor its memory is the gateway's. Every method rejects
 * with ReaderSpentError where the process has used more than it may, and with the signal's reason once that aborts.
 */
export class FileReader {
  readonly #child: ChildProcess;
  readonly #limits: ReaderLimits;
  readonly #signal: AbortSignal;
  readonly #ended: Promise<void>;
  #pending: Pending | undefined;
  #gone: Error | undefined;
  #isClosing = false;

  private constructor(child: ChildProcess, limits: ReaderLimits, signal: AbortSignal) {
    this.#child = child;
    this.#limits = limits;
    this.#signal = signal;
    const tail = drain(child, () => undefined);
    this.#ended = whenEnded(child).then((failure) => this.#lose(failure, tail()));
    child.on('message', (reply: Reply) => this.#hear(reply));
    signal.addEventListener('abort', this.#kill, { once: true });
  }

  /** Forks the process; the signal ends it. */
  static start(file: FileToRead, limits: ReaderLimits, signal: AbortSignal): FileReader {
    signal.throwIfAborted();
    const child = forkChild(PROGRAM, [], dirname(file.path), {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${Math.ceil(limits.memoryMb / 2)}`],
    });
    const spec: ReaderSpec = { file, limits };
    child.send(spec, () => undefined);
    return new FileReader(child, limits, signal);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Reads the whole file and keeps nothing. BadInputError (`file`) where it cannot be used. */
  check(): Promise<CheckedFile> {
    return this.#ask({ kind: 'check' });
  }

  /** The cards that the next chunk of rows may concern; null after the last. */
  next(): Promise<WantedCards | null> {
    return this.#ask({ kind: 'next' });
  }

  /** Folds that chunk into the cards; again where it could not be stored. */
  async fold({ cards, ...ids }: NotebookView): Promise<Folded> {
    const sizeOf = ({ content, occurrences }: CardDraft): number => tellingChars(content, occurrences);
    for (const slice of slicesOf(cards, sizeOf, SLICE_CHARS)) await this.#ask({ kind: 'view', cards: slice });
    const folded = await this.#ask({ kind: 'fold', ids });
    const drafts: CardDraft[] = [];
    for (;;) {
      const slice = await this.#ask({ kind: 'drafts' });
      if (slice === null) return { ...folded, drafts };
      drafts.push(...slice);
    }
  }

  /** Ends the process, whatever it does. */
  readonly close = once(async () => {
    this.#isClosing = true;
    this.#kill();
    await this.#ended;
  });

  #ask<Q extends Question>(question: Q): Promise<Answers[Q['kind']]> {
    return new Promise((resolve, reject) => {
      if (this.#pending !== undefined) throw new Error(`${question.kind} was asked before there was an answer`);
      if (this.#signal.aborted) throw asError(this.#signal.reason);
      if (this.#gone !== undefined) throw this.#gone;
      const late = setTimeout(this.#kill, ANSWER_MS);
      const settled = <T>(settle: (value: T) => void): ((value: T) => void) => {
        return (value) => {
          clearTimeout(late);
          this.#pending = undefined;
          settle(value);
        };
      };
      this.#pending = { resolve: settled(resolve), reject: settled(reject) };
      // Where the process has just ended, that is heard by itself.
      this.#child.send(question, () => undefined);
    });
  }

  #hear(reply: Reply): void {
    if (reply.kind === 'answer') this.#pending?.resolve(reply.answer as never);
    else if (reply.kind === 'refused') this.#pending?.reject(new BadInputError('file', reply.problem));
    else this.#pending?.reject(Object.assign(new Error(reply.message), { stack: reply.stack }));
  }

  readonly #kill = (): void => void this.#child.kill('SIGKILL');

  #lose(failure: string | null, tail: string): void {
    this.#signal.removeEventListener('abort', this.#kill);
    const { exitCode, signalCode } = this.#child;
    const how = `${failure ?? describeExit(exitCode, signalCode)}${tail === '' ? '' : `\n${tail}`}`;
    if (this.#signal.aborted) this.#gone = asError(this.#signal.reason);
    else if (this.#isClosing) this.#gone = new Error('the reader was closed');
    else if (signalCode !== null) this.#gone = new ReaderSpentError(this.#limits, how);
    else this.#gone = new Error(`the reader process was lost: ${how}`);
    this.#pending?.reject(this.#gone);
  }
}
