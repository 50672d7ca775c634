import { batches, once } from '../domain/async.js';
import type { TakeTurn } from '../domain/background.js';
import { asError, BadInputError, ConflictError, ErrataError, RateLimitedError } from '../domain/errors.js';
import { cardsByGivenIds, type MergeableCards } from '../domain/given-ids.js';
import { cardsOf, type GoldenCase, remainingCase } from '../domain/golden.js';
import type { Page } from '../domain/page.js';
import type {
  EvaluationJob,
  EvaluationOrder,
  EvaluationStore,
  GoldenStore,
  SearchProfiles,
} from '../domain/ports/evaluation.js';
import type { Log } from '../domain/ports/log.js';
import { inTurns } from '../domain/steps.js';
import { Turns } from '../domain/turns.js';
import type { Viewer } from '../domain/viewer.js';
import type { Evaluator } from './evaluator.js';
import { type Tuner, tuneProfile } from './learning/tuner.js';
import type { EvaluationReport } from './reports/report.js';

export interface EvaluationServiceParts {
  readonly golden: Pick<GoldenStore, 'set' | 'cases'>;
  readonly cards: MergeableCards;
  readonly evaluations: Pick<EvaluationStore, 'begin' | 'progress' | 'finish' | 'fail' | 'reportJson'>;
  readonly profiles: Pick<SearchProfiles, 'named' | 'save' | 'refuseBuiltin'>;
  readonly evaluator: Evaluator;
  readonly tuner: Tuner;
  /** For whole reports. */
  readonly takeTurn: TakeTurn;
  readonly log: Pick<Log, 'error' | 'info'>;
}

/** Heartbeat of a running job, in ms; well under the minute after which it counts as failed. */
const HEARTBEAT_MS = 1_000;

/** Cases read at a time. */
const PAGE = 100;

/** Cards looked up at a time. */
const CARDS = 1_000;

/** Runs a job and reports how many cases are done. */
type Work = (onProgress: (done: number) => void, signal: AbortSignal) => Promise<EvaluationReport>;

/**
 * Evaluations that run concurrently. They take turns case by case, so more of them would be slower, and take more
 * memory.
 */
const MAX_RUNNING = 4;

/** Evaluations that wait until one of these ends; each holds the cases of its golden set. */
const MAX_WAITING = 16;

/** `retryAfterMs` beyond that limit: the sample's 121 cases take some 10 s. */
const RETRY_AFTER_MS = 10_000;

/**
 * Runs evaluations in the background, one per tenant at a time, in the order in which they were started. ForbiddenError
 * for a student.
 */
export class EvaluationService {
  readonly #closing = new AbortController();
  readonly #turns = new Turns(MAX_RUNNING);
  /** Running and waiting ones, by tenant. */
  readonly #started = new Map<string, Promise<void>>();

  constructor(private readonly parts: EvaluationServiceParts) {}

  /**
   * Starts an evaluation. NotFoundError without the set; BadInputError for an unknown profile, a built-in one to tune,
   * or a set without a measurable case; ConflictError while the tenant runs another one here; RateLimitedError while
   * too many wait.
   */
  async start(viewer: Viewer, { set, profile, against, tune, k }: EvaluationOrder): Promise<EvaluationJob> {
    const { golden, profiles, evaluations } = this.parts;
    const settings = await profiles.named(viewer, profile, 'profile');
    const rival = against === null ? null : await profiles.named(viewer, against, 'against');
    if (tune !== null) profiles.refuseBuiltin(tune, 'tune');
    await golden.set(viewer, set);
    const cases = await this.#casesOf(viewer, set);
    if (!cases.some(({ judgements }) => judgements.some(({ grade }) => grade > 0)))
      throw new BadInputError('set', 'has no case with a relevant card: there is nothing to measure');
    this.#refuseMany(viewer);
    const names = tune === null ? { profile, against } : { profile: tune, against: profile };
    const begun = evaluations.begin(viewer, { set, ...names, k, total: cases.length });
    const measured: Work =
      tune === null
        ? (progress, signal) =>
            this.parts.evaluator.evaluate(
              viewer,
              { set, cases, profile: settings, against: rival, k },
              progress,
              signal,
            )
        : (progress, signal) =>
            tuneProfile(this.parts, viewer, { set, cases, start: settings, name: tune, k }, progress, signal);
    const started = begun
      .then(
        (job) => this.#run(viewer, job, measured),
        // The caller gets the error; nothing has started here.
        () => undefined,
      )
      .finally(() => this.#started.delete(viewer.tenantId));
    this.#started.set(viewer.tenantId, started);
    return begun;
  }

  /**
   * The whole report of an evaluation that is done; null without one. It may be some MB: it is read when no client is
   * searching, and returned, to be serialised into the response, when none is again.
   */
  async reportJson(viewer: Viewer, id: string): Promise<string | null> {
    const { evaluations, takeTurn } = this.parts;
    const json = await takeTurn(() => evaluations.reportJson(viewer, id));
    return takeTurn(() => json);
  }

  #refuseMany({ tenantId }: Viewer): void {
    if (this.#started.has(tenantId)) throw new ConflictError('another evaluation is running: wait for it to end');
    if (this.#started.size >= MAX_RUNNING + MAX_WAITING)
      throw new RateLimitedError('evaluate', RETRY_AFTER_MS, `has ${MAX_WAITING} waiting evaluations`);
  }

  /** Aborts running and waiting evaluations; their jobs fail. */
  readonly close = once(async () => {
    this.#closing.abort(new ConflictError('the gateway was stopped'));
    await Promise.all(this.#started.values());
  });

  /** Never rejects: errors are stored in the job, or logged. */
  async #run(viewer: Viewer, { id }: EvaluationJob, work: Work): Promise<void> {
    const { evaluations, log } = this.parts;
    let done = 0;
    let telling: Promise<void> = Promise.resolve();
    const beat = setInterval(() => {
      telling = evaluations.progress(viewer, id, done).catch((failure: unknown) => {
        log.error({ err: asError(failure), evaluation: id }, 'the heartbeat of an evaluation could not be stored');
      });
    }, HEARTBEAT_MS);
    /** Before the end is stored: clients that read it may start the next evaluation at once. */
    const stopBeat = (): Promise<void> => {
      clearInterval(beat);
      return telling;
    };
    try {
      const { signal } = this.#closing;
      const onProgress = (count: number): void => {
        done = count;
      };
      const report = await this.#turns.run(() => work(onProgress, signal), 'bulk', signal);
      const json = await jsonOf(report);
      await stopBeat();
      await evaluations.finish(viewer, id, json);
    } catch (thrown) {
      const error = asError(thrown);
      const isOurs = error instanceof ErrataError;
      const isExpected = error === this.#closing.signal.reason || error instanceof BadInputError;
      log[isExpected ? 'info' : 'error']({ err: error, evaluation: id }, 'an evaluation failed');
      // Messages of foreign errors may name servers and paths.
      const reason = isOurs ? error.message : 'an internal error; the log has the details';
      await stopBeat();
      await evaluations.fail(viewer, id, reason).catch((failure: unknown) => {
        log.error({ err: asError(failure), evaluation: id }, 'the failure of an evaluation could not be stored');
      });
    }
  }

  async #casesOf(viewer: Viewer, set: string): Promise<readonly GoldenCase[]> {
    const cases: GoldenCase[] = [];
    for (let after: string | null = null; ; ) {
      const page: Page<GoldenCase> | undefined = (
        await this.parts.golden.cases(viewer, [set], { first: PAGE, after })
      ).get(set);
      const nodes = page?.edges.map(({ node }) => node) ?? [];
      cases.push(...(await this.#remaining(viewer, nodes)));
      if (page?.hasNextPage !== true) return cases;
      after = page.edges.at(-1)?.cursor ?? null;
    }
  }

  /** The cases, with the remaining card in the place of each card that was merged after it was judged. */
  async #remaining(viewer: Viewer, cases: readonly GoldenCase[]): Promise<readonly GoldenCase[]> {
    const remaining = new Map<string, string>();
    for (const ids of batches([...new Set(cases.flatMap(cardsOf))], CARDS)) {
      const found = await cardsByGivenIds(this.parts.cards, viewer, ids);
      for (const [id, card] of found) if (card.id !== id) remaining.set(id, card.id);
    }
    return remaining.size === 0 ? cases : cases.map((one) => remainingCase(one, remaining));
  }
}

/** The report as JSON. That of 10,000 cases is some MB, nearly all of it cases, which are serialised in turns. */
async function jsonOf({ caseReports, ...head }: EvaluationReport): Promise<string> {
  const cases: string[] = [];
  await inTurns(caseReports, (one) => cases.push(JSON.stringify(one)));
  return `${JSON.stringify(head).slice(0, -1)},"caseReports":[${cases.join(',')}]}`;
}
