import { batches } from '../../domain/async.js';
import type { WorkerProgram } from '../../runtime/workers/protocol.js';
import type { Workers } from '../../runtime/workers/workers.js';
import type { MeasuredCase } from '../measure-case.js';
import type { PairedDifference } from '../statistics.js';
import type { Summary, SummaryOrder } from './summarise.js';
import type { SummaryCalls } from './summary.program.js';

/** Cases in one message: some 4 ms of the event loop. */
const CASES_A_MESSAGE = 25;

/** 10,000 cases of two profiles take some 80 s on a slow core. */
const PROGRAM: WorkerProgram = {
  module: 'src/evaluation/reports/summary.program.js',
  limits: { cpuMs: 600_000, memoryMb: 1_024 },
};

/** Computes the statistics of an evaluation in a worker. Rejects with the signal's reason once that aborts. */
export class Statistician {
  constructor(private readonly workers: Pick<Workers, 'run'>) {}

  summary(
    tenantId: string,
    cases: readonly MeasuredCase[],
    order: SummaryOrder,
    signal: AbortSignal,
  ): Promise<Summary> {
    return this.workers.run<SummaryCalls, Summary>(
      {
        tenantId,
        name: 'an evaluation',
        program: PROGRAM,
        run: async (worker) => {
          for (const slice of batches(cases, CASES_A_MESSAGE)) await worker.call('add', slice);
          return worker.call('summarise', order);
        },
      },
      signal,
    );
  }

  difference(
    tenantId: string,
    values: { readonly before: readonly number[]; readonly after: readonly number[] },
    signal: AbortSignal,
  ): Promise<PairedDifference> {
    return this.workers.run<SummaryCalls, PairedDifference>(
      { tenantId, name: 'an evaluation', program: PROGRAM, run: (worker) => worker.call('compare', values) },
      signal,
    );
  }
}
