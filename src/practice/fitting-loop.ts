import type { TakeTurn } from '../domain/background.js';
import { periodicLoop } from '../domain/background-loop.js';
import type { Owner } from '../domain/duplicates.js';
import { asError } from '../domain/errors.js';
import { offsetAt } from '../domain/local-day.js';
import type { Log } from '../domain/ports/log.js';
import type { AttemptStore, FittedScheduleStore, LogSize, PracticeSettingsStore } from '../domain/ports/practice.js';
import { DEFAULT_PRACTICE_SETTINGS, type FittedSchedule } from '../domain/practice.js';
import { ownerKey, type Viewer } from '../domain/viewer.js';
import { fitSchedule, MIN_REVIEWS } from '../fsrs/fit.js';

/** From the start to the first pass, and from one pass to the next, in ms. */
const FIRST_MS = 120_000;
const EVERY_MS = 300_000;

/**
 * Students of a pass; one with 3,000 reviews takes 0.2 s of processor time (`npm run bench -- schedule`). The others
 * wait for the next pass.
 */
const PER_PASS = 20;

/** A student with more attempts keeps the last fit: more reviews do not change it, and the log is read into memory. */
const MAX_LOG = 20_000;

/** A student's parameters are fitted again when there are so many times the reviews of the last time. */
const GROWTH = 1.2;

export interface FittingLoopParts {
  readonly store: FittedScheduleStore;
  readonly attempts: Pick<AttemptStore, 'log'>;
  readonly settings: Pick<PracticeSettingsStore, 'settings'>;
  /** False: whoever was scheduled by fitted parameters is scheduled by the defaults again. */
  readonly isOn: boolean;
  readonly takeTurn: TakeTurn;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Fits FSRS to the students who practise, again when their reviews have grown by a fifth. Gateways may fit one student
 * twice: the later fit stays.
 */
export class FittingLoop {
  readonly #loop = periodicLoop(
    EVERY_MS,
    (signal) => this.pass(signal),
    (err) => this.parts.log.warn({ err }, 'schedules could not be fitted; the next pass retries'),
  );
  readonly close = this.#loop.close;
  /** Students who have practised since they were looked at. */
  readonly #practised = new Map<string, Owner>();

  constructor(private readonly parts: FittingLoopParts) {}

  start(): void {
    this.#loop.start(FIRST_MS);
  }

  /** Call it after a student's attempts were stored. */
  readonly practised = ({ tenantId, ownerId }: Owner): void => {
    if (this.parts.isOn) this.#practised.set(ownerKey({ tenantId, ownerId }), { tenantId, ownerId });
  };

  /** One pass over some students. One that fails is logged, and the others follow. */
  async pass(signal: AbortSignal): Promise<void> {
    const { store, isOn, log } = this.parts;
    const students = isOn ? this.#taken() : await store.students(PER_PASS);
    for (const student of students) {
      signal.throwIfAborted();
      try {
        await (isOn ? this.#fit(student, signal) : store.remove(student));
      } catch (thrown) {
        signal.throwIfAborted();
        log.warn({ err: asError(thrown), tenantId: student.tenantId }, 'the schedule of a student could not be fitted');
      }
    }
  }

  #taken(): readonly Owner[] {
    const taken = [...this.#practised].slice(0, PER_PASS);
    for (const [key] of taken) this.#practised.delete(key);
    return taken.map(([, student]) => student);
  }

  async #fit(student: Owner, signal: AbortSignal): Promise<void> {
    const { store, attempts, settings, takeTurn, log } = this.parts;
    const viewer: Viewer = { ...student, role: 'admin' };
    const own = (await settings.settings(viewer, [student.ownerId])).get(student.ownerId);
    const { timeZone } = own ?? DEFAULT_PRACTICE_SETTINGS;
    // The days of now: where clocks change, those around midnight may be others, which are few.
    const size = await store.logSize(student, offsetAt(new Date(), timeZone));
    if (!isDue(size, await store.find(viewer, student))) return;
    const made = await attempts.log(viewer, { ownerIds: [student.ownerId] }, { limit: MAX_LOG }, signal);
    const fit = await fitSchedule(made, timeZone, (step) => {
      signal.throwIfAborted();
      return takeTurn(step);
    });
    if (fit === null) return;
    await store.save(student, fit);
    const { weights: _, ...facts } = fit;
    log.info({ tenantId: student.tenantId, ...facts }, 'fitted the schedule of a student');
  }
}

export function isDue({ attempts, reviews }: LogSize, last: FittedSchedule | null): boolean {
  if (reviews < MIN_REVIEWS || attempts > MAX_LOG) return false;
  return last === null || reviews >= GROWTH * last.reviews;
}
