import { once } from '../domain/async.js';
import { asError, BadInputError, ConflictError, ErrataError } from '../domain/errors.js';
import type { GoldenCase } from '../domain/golden.js';
import type {
  EvaluationJob,
  EvaluationOrder,
  EvaluationStore,
  Evaluations,
  GoldenStore,
  SearchProfiles,
} from '../domain/ports/evaluation.js';
import type { Viewer } from '../domain/viewer.js';
import type { Evaluator } from './evaluator.js';
import { refuseStudents } from './permission.js';
import type { EvaluationReport } from './report.js';
import type { Tuner } from './tuner.js';
import { tuneProfile } from './tuning.js';

/** What evaluations are started with. */
export interface EvaluationServiceParts {
  readonly golden: Pick<GoldenStore, 'set' | 'cases'>;
  readonly evaluations: EvaluationStore;
  readonly profiles: Pick<SearchProfiles, 'named' | 'save' | 'refuseBuiltin'>;
  readonly evaluator: Evaluator;
  readonly tuner: Tuner;
  readonly log: { error(facts: object, message: string): void };
}

/** How often a running job says so, in ms; well under the minute after which it reads as dead. */
const HEARTBEAT_MS = 1_000;

/** Cases that are read at a time. */
const PAGE = 100;

/** What a job does; it says how many cases are done. */
type Work = (onProgress: (done: number) => void, signal: AbortSignal) => Promise<EvaluationReport>;

/** Runs evaluations in the background, one at a time: it searches as fast as it can, and students search meanwhile. */
export class EvaluationService implements Evaluations {
  readonly #parts: EvaluationServiceParts;
  readonly #closing = new AbortController();
  #running: Promise<void> | null = null;

  constructor(parts: EvaluationServiceParts) {
    this.#parts = parts;
  }

  async start(viewer: Viewer, { set, profile, against, tune, k }: EvaluationOrder): Promise<EvaluationJob> {
    refuseStudents(viewer);
    const { golden, profiles, evaluations } = this.#parts;
    const settings = await profiles.named(viewer, profile, 'profile');
    const rival = against === null ? null : await profiles.named(viewer, against, 'against');
    if (tune !== null) profiles.refuseBuiltin(tune, 'tune');
    const { judgedCases } = await golden.set(viewer, set);
    if (judgedCases === 0)
      throw new BadInputError('set', 'has no case with a relevant card: there is nothing to measure');
    const cases = await this.#casesOf(viewer, set);
    if (this.#running !== null) throw new ConflictError('another evaluation is running: wait for it to end');
    const names = tune === null ? { profile, against } : { profile: tune, against: profile };
    const begun = evaluations.begin(viewer, { set, ...names, k, total: cases.length });
    const measured: Work =
      tune === null
        ? (progress, signal) =>
            this.#parts.evaluator.evaluate(
              viewer,
              { set, cases, profile: settings, against: rival, k },
              progress,
              signal,
            )
        : (progress, signal) =>
            tuneProfile(this.#parts, viewer, { set, cases, start: settings, name: tune, k }, progress, signal);
    this.#running = begun
      .then(
        (job) => this.#run(viewer, job, measured),
        // The caller hears of it; here nothing has begun.
        () => undefined,
      )
      .finally(() => {
        this.#running = null;
      });
    return begun;
  }

  async job(viewer: Viewer, id: string): Promise<EvaluationJob> {
    refuseStudents(viewer);
    return this.#parts.evaluations.job(viewer, id);
  }

  async jobs(viewer: Viewer, limit: number): Promise<readonly EvaluationJob[]> {
    refuseStudents(viewer);
    return this.#parts.evaluations.jobs(viewer, limit);
  }

  async report(viewer: Viewer, id: string): Promise<object | null> {
    refuseStudents(viewer);
    return this.#parts.evaluations.report(viewer, id);
  }

  /** Ends the evaluation that runs; its job is failed. */
  readonly close = once(async () => {
    this.#closing.abort(new ConflictError('the gateway was stopped'));
    await this.#running;
  });

  /** Never rejects: what went wrong is in the job, or in the log. */
  async #run(viewer: Viewer, { id }: EvaluationJob, work: Work): Promise<void> {
    const { evaluations, log } = this.#parts;
    let done = 0;
    let telling: Promise<void> = Promise.resolve();
    const beat = setInterval(() => {
      telling = evaluations.progress(viewer, id, done).catch((failure: unknown) => {
        log.error({ err: asError(failure), evaluation: id }, 'an evaluation could not say that it goes on');
      });
    }, HEARTBEAT_MS);
    try {
      const report = await work((count) => {
        done = count;
      }, this.#closing.signal);
      await evaluations.finish(viewer, id, report);
    } catch (thrown) {
      const error = asError(thrown);
      log.error({ err: error, evaluation: id }, 'an evaluation failed');
      // What is not ours may name servers and paths.
      const reason = error instanceof ErrataError ? error.message : 'an internal error, which the log has';
      await evaluations.fail(viewer, id, reason).catch((failure: unknown) => {
        log.error({ err: asError(failure), evaluation: id }, 'a failed evaluation could not be marked as such');
      });
    } finally {
      clearInterval(beat);
      await telling;
    }
  }

  async #casesOf(viewer: Viewer, set: string): Promise<readonly GoldenCase[]> {
    const cases: GoldenCase[] = [];
    for (let after: string | null = null; ; ) {
      const page = await this.#parts.golden.cases(viewer, set, { first: PAGE, after });
      cases.push(...page.cases);
      if (page.next === null) return cases;
      after = page.next;
    }
  }
}
