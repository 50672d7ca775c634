import { BadInputError } from '../../domain/errors.js';
import type { GoldenCase } from '../../domain/golden.js';
import type { CardStore } from '../../domain/ports/cards.js';
import type { SearchProfiles } from '../../domain/ports/evaluation.js';
import type { SearchProfile } from '../../domain/profile.js';
import type { ProfileSettings } from '../../domain/search.js';
import { shuffled } from '../../domain/shuffled.js';
import type { Viewer } from '../../domain/viewer.js';
import { nullIfEmpty } from '../../search/empty-query.js';
import { requestBy } from '../../search/profile.js';
import type { Evaluator } from '../evaluator.js';
import { seededRandom } from '../random.js';
import type { EvaluationReport, ProfileComparison, TuningReport } from '../reports/report.js';
import { interval, METRIC_NAMES, signed } from '../reports/report-wording.js';
import type { Statistician } from '../reports/statistician.js';
import { RESAMPLING } from '../statistics.js';
import { ascend, HYPERPARAMETERS, type Objective, partsOf, trainTestSplit } from './coordinate-ascent.js';
import { DEPTH, KEPT, type RescoredCase, RescoredCases, type RescoredCasesParts } from './rescored-cases.js';

export interface TunerParts extends RescoredCasesParts {
  readonly statistics: Pick<Statistician, 'difference'>;
}

/** Result of tuning on the training split. */
type Tuned = Omit<TuningReport, 'profile' | 'accepted'>;

/** Folds of the cross-validation on the training split. */
const FOLDS = 5;

/** With fewer cases, differences between settings are noise. */
const LEAST_CASES = 20;

/**
 * Training cases at most, a random sample of larger sets: each keeps some 140 kB of scores, and with so many the
 * standard error of a gain (some .15 a case) is .005, less than what neighbouring settings differ by.
 */
const MOST_CASES = 1_000;

/** Chooses settings by coordinate ascent on {@link RescoredCases.objective}. */
export class Tuner {
  constructor(
    private readonly parts: TunerParts,
    private readonly mostCases: number = MOST_CASES,
  ) {}

  /**
   * The best settings for these cases, or for a sample of them, and the cross-validated gain of choosing settings in
   * this way. BadInputError if fewer than {@link LEAST_CASES} cases can be measured.
   */
  async tune(
    viewer: Viewer,
    cases: readonly GoldenCase[],
    start: ProfileSettings,
    onProgress: (done: number) => void,
    signal: AbortSignal,
  ): Promise<Tuned> {
    const sampled = sampleOf(cases, this.mostCases);
    const training = await this.#rescoredCases(viewer, sampled, start, onProgress, signal);
    if (training.length < LEAST_CASES)
      throw new BadInputError(
        'set',
        `has ${training.length} measurable cases in its training split; tuning needs at least ${LEAST_CASES}`,
      );
    const rescored = new RescoredCases(this.parts, training);
    const objective: Objective = (settings) => rescored.objective(settings, signal);
    const everyone = training.map((_, place) => place);
    const folds = partsOf(training, FOLDS, RESAMPLING.seed);
    const before = await objective(start);
    const unseen: number[] = [];
    for (let fold = 0; fold < FOLDS; fold += 1) {
      const others = everyone.filter((place) => folds[place] !== fold);
      const values = await objective(await ascend(start, HYPERPARAMETERS, others, objective));
      for (const place of everyone) if (folds[place] === fold) unseen[place] = values[place] as number;
    }
    const settings = await ascend(start, HYPERPARAMETERS, everyone, objective);
    return {
      settings,
      trainingCases: training.length,
      skippedCases: sampled.length - training.length,
      tried: rescored.tried,
      crossValidated: await this.parts.statistics.difference(viewer.tenantId, { before, after: unseen }, signal),
    };
  }

  /**
   * The cases with a query and a relevant card in the notebook and in their filter; judged cards that do not exist are
   * ignored.
   */
  async #rescoredCases(
    viewer: Viewer,
    cases: readonly GoldenCase[],
    start: ProfileSettings,
    onProgress: (done: number) => void,
    signal: AbortSignal,
  ): Promise<readonly RescoredCase[]> {
    const { rescorers, cards, takeTurn } = this.parts;
    const training: RescoredCase[] = [];
    for (const [place, one] of cases.entries()) {
      signal.throwIfAborted();
      const grades = await findableGrades(cards, viewer, one);
      if (grades.size > 0) {
        const request = requestBy(start, one, DEPTH);
        const whole = await nullIfEmpty(() => takeTurn(() => rescorers.rescorer(viewer, request, signal)));
        const isInFilter = [...grades.keys()].some((cardId) => whole?.filtersOut(cardId) === false);
        if (whole !== null && isInFilter)
          training.push({ ...one, rescorer: await takeTurn(() => whole.narrowed(KEPT)), grades });
      }
      onProgress(place + 1);
    }
    return training;
  }
}

/** The same sample for the same cases, in their order. */
function sampleOf(cases: readonly GoldenCase[], most: number): readonly GoldenCase[] {
  if (cases.length <= most) return cases;
  const places = shuffled(cases.length, seededRandom(RESAMPLING.seed)).slice(0, most);
  return places.sort((a, b) => a - b).map((place) => cases[place] as GoldenCase);
}

/** Grades of the existing relevant cards, by id; empty if the query card does not exist. */
async function findableGrades(
  cards: Pick<CardStore, 'byIds'>,
  viewer: Viewer,
  { subject, judgements }: GoldenCase,
): Promise<ReadonlyMap<string, number>> {
  const relevant = judgements.filter(({ grade }) => grade > 0);
  const asked = relevant.map(({ cardId }) => cardId);
  const there = await cards.byIds(viewer, subject.kind === 'card' ? [subject.cardId, ...asked] : asked);
  if (subject.kind === 'card' && !there.has(subject.cardId)) return new Map();
  return new Map(relevant.flatMap(({ cardId, grade }) => (there.has(cardId) ? [[cardId, grade] as const] : [])));
}

interface TuningParts {
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
