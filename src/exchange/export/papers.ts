import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { BadInputError } from '../../domain/errors.js';
import type { WorkerProgram } from '../../runtime/workers/protocol.js';
import { WorkerSpentError } from '../../runtime/workers/worker-process.js';
import type { Workers } from '../../runtime/workers/workers.js';
import type { CardWithTimes } from '../formats/write/card-lines.js';
import type { PaperCalls, PaperOrder } from './paper.program.js';

/** Questions of one paper: 500 are some 150 pages. */
const MAX_CARDS = 500;

/** 500 cards with ten formulas each take some 5 s of processor time. */
const PROGRAM: WorkerProgram = {
  module: 'src/exchange/export/paper.program.js',
  limits: { cpuMs: 30_000, memoryMb: 512 },
};

/** What papers are made with. */
export interface PapersParts {
  readonly workers: Pick<Workers, 'run'>;
  /** Where a paper is kept until its client has it: a client that reads slowly keeps no worker. This gateway's alone. */
  readonly folder: string;
}

/** Papers to print, each written by a worker. */
export class Papers {
  constructor(private readonly parts: PapersParts) {}

  /** Makes the folder, and removes papers that a gateway that was killed has left there. */
  async start(): Promise<void> {
    const { folder } = this.parts;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }

  /** A paper of the cards, in slices of {@link MESSAGE_CHARS}. BadInputError where they are too many, or take too long to set. */
  async write(
    tenantId: string,
    order: Omit<PaperOrder, 'path'>,
    slices: AsyncIterable<readonly CardWithTimes[]>,
    signal: AbortSignal,
  ): Promise<Readable> {
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
                throw new BadInputError('filter', `lets more than ${MAX_CARDS} cards through: a paper holds no more`);
              }
              await worker.call('add', slice);
            }
            await worker.call('write', { ...order, path });
          },
        },
        signal,
      );
    } catch (thrown) {
      await remove();
      if (!(thrown instanceof WorkerSpentError)) throw thrown;
      throw new BadInputError('filter', `makes a paper whose formulas are too dear to set: ${thrown.message}`);
    }
    const body = createReadStream(path);
    body.once('close', () => void remove());
    return body;
  }
}
