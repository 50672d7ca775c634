import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { delay } from '../../domain/async.js';
import type { GiveWay } from '../../domain/background.js';
import { BadInputError } from '../../domain/errors.js';
import type { WorkerProgram } from '../../runtime/workers/protocol.js';
import { WorkerSpentError } from '../../runtime/workers/worker-process.js';
import type { Workers } from '../../runtime/workers/workers.js';
import type { CardWithOccurrences } from '../formats/write/card-lines.js';
import { throwAsFullDisk } from '../full-disk.js';
import type { PaperCalls, PaperOrder } from './paper.program.js';

/** Questions of one paper: 500 are some 150 pages. */
const MAX_CARDS = 500;

/** Typesetting of one part, in ms; then searches go first. */
const PART_MS = 10;

/** 500 cards with ten formulas each take some 5 s of processor time. */
const PROGRAM: WorkerProgram = {
  module: 'src/exchange/export/paper.program.js',
  limits: { cpuMs: 30_000, memoryMb: 512 },
};

export interface PapersParts {
  readonly workers: Pick<Workers, 'run'>;
  /** Between two parts of a paper; while clients search, a worker typesets half of the time. */
  readonly background: Pick<GiveWay, 'pause' | 'isContended'>;
  /**
   * Papers are kept here until the client has read them, so that a slow client does not occupy a worker. Not shared
   * with other gateways.
   */
  readonly folder: string;
}

/** Printable papers, each written by a worker. */
export class Papers {
  constructor(private readonly parts: PapersParts) {}

  /** Creates the folder, and removes papers that a killed gateway has left. */
  async start(): Promise<void> {
    const { folder } = this.parts;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Writes a paper; cards come in slices of at most {@link MESSAGE_CHARS}. BadInputError if they are too many, or take
   * too long to typeset; ResourceExhaustedError if the disk is full.
   */
  async write(
    tenantId: string,
    order: Omit<PaperOrder, 'path'>,
    slices: AsyncIterable<readonly CardWithOccurrences[]>,
    signal: AbortSignal,
  ): Promise<Readable> {
    const { pause, isContended } = this.parts.background;
    const path = join(this.parts.folder, randomUUID());
    const remove = (): Promise<void> => rm(path, { force: true });
    try {
      await this.parts.workers.run<PaperCalls, void>(
        {
          tenantId,
          name: 'a paper',
          program: PROGRAM,
          run: async (worker) => {
            let cards = 0;
            for await (const slice of slices) {
              cards += slice.length;
              if (cards > MAX_CARDS) {
                throw new BadInputError('filter', `matches more than ${MAX_CARDS} cards, the limit of a paper`);
              }
              await worker.call('add', slice);
            }
            await worker.call('begin', { ...order, path });
            while (await worker.call('write', PART_MS)) {
              await pause();
              if (isContended()) await delay(PART_MS, signal);
            }
          },
        },
        signal,
      );
    } catch (thrown) {
      await remove();
      if (!(thrown instanceof WorkerSpentError)) throwAsFullDisk('export', thrown);
      throw new BadInputError('filter', `makes a paper whose formulas take too long to typeset: ${thrown.message}`);
    }
    const body = createReadStream(path);
    body.once('close', () => void remove());
    return body;
  }
}
