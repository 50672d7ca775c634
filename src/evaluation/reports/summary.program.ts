/** Summarises measured cases out of the gateway's process: 10,000 cases take a minute. See {@link SummaryCalls}. */
import { serve } from '../../runtime/workers/serve.js';
import type { MeasuredCase } from '../measure-case.js';
import { compare, type PairedDifference } from '../statistics.js';
import { type Summary, type SummaryOrder, summaryOf } from './summarise.js';

function summaryCalls() {
  const cases: MeasuredCase[] = [];
  return {
    add: (some: readonly MeasuredCase[]): void => void cases.push(...some),
    summarise: (order: SummaryOrder): Summary => summaryOf(cases, order),
    compare: ({ before, after }: { before: readonly number[]; after: readonly number[] }): PairedDifference =>
      compare(before, after),
  };
}
export type SummaryCalls = ReturnType<typeof summaryCalls>;
serve(summaryCalls);
