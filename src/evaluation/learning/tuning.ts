import type { GoldenCase } from '../../domain/golden.js';
import type { SearchProfiles } from '../../domain/ports/evaluation.js';
import type { SearchProfile } from '../../domain/profile.js';
import type { Viewer } from '../../domain/viewer.js';
import type { Evaluator } from '../evaluator.js';
import type { EvaluationReport, ProfileComparison } from '../reports/report.js';
import { interval, METRIC_NAMES, signed } from '../reports/report-wording.js';
import { RESAMPLING } from '../statistics.js';
import { trainTestSplit } from './coordinate-ascent.js';
import type { Tuner } from './tuner.js';

export interface TuningParts {
  readonly tuner: Tuner;
  readonly evaluator: Evaluator;
  readonly profiles: Pick<SearchProfiles, 'save'>;
}

interface TuningRequest {
  readonly set: string;
  readonly cases: readonly GoldenCase[];
  /** Initial settings, and the baseline of the comparison. */
  readonly start: SearchProfile;
  /** The name of the profile to write. */
  readonly name: string;
  readonly k: number;
}

/**
 * Chooses settings on the training split of a golden set, compares them with `start` by real searches on the test
 * split, and saves them as a profile only if they are significantly better there: the gain in nDCG@10 is
 * significant, and no loss of MRR is. The report is that of the test split.
 */
export async function tuneProfile(
  { tuner, evaluator, profiles }: TuningParts,
  viewer: Viewer,
  { set, cases, start, name, k }: TuningRequest,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<EvaluationReport> {
  const { training, test } = trainTestSplit(cases, RESAMPLING.seed);
  const tuned = await tuner.tune(viewer, training, start.settings, onProgress, signal);
  const profile = { name, description: null, settings: tuned.settings };
  const request = { set, cases: test, profile, against: start, k };
  const report = await evaluator.evaluate(viewer, request, (done) => onProgress(training.length + done), signal);
  const { comparison } = report;
  if (comparison === null) throw new Error('two profiles were measured without a comparison');
  const accepted = isGain(comparison);
  if (accepted) await profiles.save(viewer, { ...profile, description: describe(set, report.cases, comparison) });
  return { ...report, tuning: { profile: name, ...tuned, accepted } };
}

/** True if the gain in nDCG@10 is significant and no loss of MRR is. */
export function isGain({ differences: { ndcgAt10, mrr } }: Pick<ProfileComparison, 'differences'>): boolean {
  return ndcgAt10.supported && ndcgAt10.value > 0 && !(mrr.supported && mrr.value < 0);
}

function describe(set: string, cases: number, { before, differences }: ProfileComparison): string {
  const gains = (['ndcgAt10', 'mrr'] as const).map(
    (metric) => `${METRIC_NAMES[metric]} ${signed(differences[metric].value)} (${interval(differences[metric])})`,
  );
  return `Tuned on the training split of ${set}; gain over ${before} on the ${cases} cases of the test split: ${gains.join(', ')}.`;
}
