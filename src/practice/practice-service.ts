import type { Card } from '../domain/card.js';
import type { Owner } from '../domain/duplicates.js';
import { groupedBy } from '../domain/grouped.js';
import { DAY_MS, type Day, dayOf, laterDay, startOfDay } from '../domain/local-day.js';
import { type CountedPage, filterFacts, listDigest } from '../domain/page.js';
import type { CardStore, PageRequest } from '../domain/ports/cards.js';
import type {
  AttemptStore,
  FittedScheduleStore,
  PracticeSettingsStore,
  ReviewStore,
} from '../domain/ports/practice.js';
import {
  type AttemptResult,
  type AttemptToRecord,
  DEFAULT_PRACTICE_SETTINGS,
  type FittedSchedule,
  type PracticeSettings,
  type ReviewState,
} from '../domain/practice.js';
import type { CardFilter } from '../domain/search.js';
import type { Viewer } from '../domain/viewer.js';
import { retrievability } from '../fsrs/schedule.js';
import { currentList, DUE_ORDER, leftOf } from './due-list.js';
import { pageOf } from './listed-page.js';
import { type Retention, retentionOf } from './retention.js';

/** Attempts that statistics are made of, the newest. */
const MAX_LOG = 20_000;

export interface PracticeServiceParts {
  readonly attempts: Pick<AttemptStore, 'record' | 'log'>;
  readonly reviews: ReviewStore;
  readonly settings: PracticeSettingsStore;
  readonly fits: Pick<FittedScheduleStore, 'find' | 'weights'>;
  readonly cards: Pick<CardStore, 'byIds'>;
  /** Called after a student's attempts were stored. */
  readonly onPractised: (student: Owner) => void;
}

/** A review state, and what a student wants to know of it. */
export interface CardReview extends ReviewState {
  /** In the student's time zone. */
  readonly dueOn: Day;
  /** 0 .. 1, at the moment that was asked about. */
  readonly retrievability: number;
}

export interface DueCard {
  readonly card: Card;
  readonly review: CardReview | null;
  /** Itself, so that {@link DuePage.doneToday} counts it already. */
  readonly practisedToday: boolean;
}

/** A page of what is left for a student to do on one day. */
export interface DuePage extends CountedPage<DueCard> {
  /** Reviews that are due, those included that the daily limit leaves for later. */
  readonly dueReviews: number;
  /** Cards that were practised on this day. */
  readonly doneToday: number;
}

export interface DueQuery extends PageRequest {
  readonly at: Date;
  readonly filter: CardFilter;
}

export interface ReviewStatistics extends Retention {
  readonly desiredRetention: number;
  /** Null: too few reviews so far. */
  readonly schedule: FittedSchedule | null;
}

export interface ForecastDay {
  readonly day: Day;
  readonly reviews: number;
}

export class PracticeService {
  constructor(private readonly parts: PracticeServiceParts) {}

  /** In the order of the attempts. ForbiddenError for attempts of others, unless the viewer is an admin. */
  async record(viewer: Viewer, attempts: readonly AttemptToRecord[], now: Date): Promise<readonly RecordedAttempt[]> {
    const byOwner = groupedBy(attempts, ({ ownerId }) => ownerId ?? viewer.ownerId);
    const recorded = await this.parts.attempts.record(viewer, byOwner);
    const owners = [...byOwner.keys()];
    for (const ownerId of owners) this.parts.onPractised({ tenantId: viewer.tenantId, ownerId });
    const [settingsOf, weightsOf] = await Promise.all([
      this.parts.settings.settings(viewer, owners),
      this.parts.fits.weights(viewer, owners),
    ]);
    const results = new Map<AttemptToRecord, RecordedAttempt>();
    for (const [ownerId, own] of byOwner) {
      const settings = settingsOf.get(ownerId) ?? DEFAULT_PRACTICE_SETTINGS;
      const weights = weightsOf.get(ownerId) ?? null;
      for (const [place, { review, ...result }] of (recorded.get(ownerId) ?? []).entries()) {
        results.set(own[place] as AttemptToRecord, {
          ...result,
          review: review && withDates(review, settings, weights, now),
        });
      }
    }
    return attempts.flatMap((attempt) => results.get(attempt) ?? []);
  }

  /** Of a student who has none, or whose settings the viewer may not see, the defaults. */
  async settings(viewer: Viewer, ownerId = viewer.ownerId): Promise<PracticeSettings> {
    const settings = await this.parts.settings.settings(viewer, [ownerId]);
    return settings.get(ownerId) ?? DEFAULT_PRACTICE_SETTINGS;
  }

  saveSettings(viewer: Viewer, change: Partial<PracticeSettings>): Promise<PracticeSettings> {
    return this.parts.settings.save(viewer, change);
  }

  /** What is due until the end of the day of `at`, as far as the daily limits go. BadInputError (`after`). */
  async due(viewer: Viewer, { at, filter, ...page }: DueQuery, signal?: AbortSignal): Promise<DuePage> {
    const settings = await this.settings(viewer);
    const { start, end } = bounds(at, settings);
    // As if nothing had been done today: what has been done shortens the list afterwards.
    const [weights, list] = await Promise.all([
      this.#weights(viewer),
      this.parts.reviews.due(
        viewer,
        {
          filter,
          at,
          dueBefore: end,
          maxCards: settings.dailyLimit,
          practisedSince: start,
          maxNew: settings.newPerDay,
        },
        signal,
      ),
    ]);
    // Later, so that it knows each attempt that the list knows.
    const done = await this.parts.reviews.done(viewer, start, end, signal);
    const { entries: due, dueReviews } = currentList(list, done, start);
    const entries = leftOf(due, done, settings, start);
    const { edges, ...listed } = pageOf(
      entries,
      page,
      DUE_ORDER,
      listDigest(viewer, ['due', viewer.ownerId, filterFacts(filter)]),
    );
    const ids = edges.map(({ node }) => node.cardId);
    const cards = await this.parts.cards.byIds(viewer, ids, signal);
    const practised = new Set(done.cardIds);
    return {
      ...listed,
      edges: edges.flatMap(({ cursor, node }) => {
        const card = cards.get(node.cardId);
        if (card === undefined) return [];
        const review = node.review && withDates(node.review, settings, weights, at);
        return [{ cursor, node: { card, review, practisedToday: practised.has(node.cardId) } }];
      }),
      dueReviews,
      doneToday: done.cardIds.length,
    };
  }

  /** The viewer's own, by card id. */
  async reviews(
    viewer: Viewer,
    cardIds: readonly string[],
    at: Date,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, CardReview>> {
    const [states, settings, weights] = await Promise.all([
      this.parts.reviews.states(viewer, cardIds, signal),
      this.settings(viewer),
      this.#weights(viewer),
    ]);
    return new Map([...states].map(([cardId, state]) => [cardId, withDates(state, settings, weights, at)]));
  }

  async statistics(
    viewer: Viewer,
    ownerId: string,
    { days, at }: { readonly days: number; readonly at: Date },
    signal?: AbortSignal,
  ): Promise<ReviewStatistics> {
    const after = new Date(at.getTime() - days * DAY_MS);
    const [{ desiredRetention, timeZone }, schedule] = await Promise.all([
      this.settings(viewer, ownerId),
      this.parts.fits.find(viewer, { tenantId: viewer.tenantId, ownerId }),
    ]);
    const range = { before: new Date(at.getTime() + 1), limit: MAX_LOG };
    const log = await this.parts.attempts.log(viewer, { ownerIds: [ownerId] }, range, signal);
    return { ...(await retentionOf(log, after, timeZone)), desiredRetention, schedule };
  }

  /**
   * How many reviews fall due on each of the next days, today with all that is overdue; no attempt that is still to
   * come counts.
   */
  async forecast(viewer: Viewer, days: number, at: Date, signal?: AbortSignal): Promise<readonly ForecastDay[]> {
    const { timeZone } = await this.settings(viewer);
    const today = dayOf(at, timeZone);
    const dates = Array.from({ length: days }, (_, place) => laterDay(today, place));
    const ends = dates.map((day) => startOfDay(laterDay(day, 1), timeZone));
    const counts = await this.parts.reviews.forecast(viewer, ends, signal);
    return dates.map((day, place) => ({ day, reviews: counts[place] ?? 0 }));
  }

  /** The parameters that the viewer's review states were derived by; null: the defaults of FSRS. */
  async #weights(viewer: Viewer): Promise<readonly number[] | null> {
    const weights = await this.parts.fits.weights(viewer, [viewer.ownerId]);
    return weights.get(viewer.ownerId) ?? null;
  }
}

/** As the store says, with the dates of the student. */
export interface RecordedAttempt extends Omit<AttemptResult, 'review'> {
  readonly review: CardReview | null;
}

/** When the student's day around a moment begins and ends. */
export function bounds(at: Date, { timeZone }: Pick<PracticeSettings, 'timeZone'>) {
  const day = dayOf(at, timeZone);
  return { start: startOfDay(day, timeZone), end: startOfDay(laterDay(day, 1), timeZone) };
}

function withDates(
  review: ReviewState,
  { timeZone }: PracticeSettings,
  weights: readonly number[] | null,
  at: Date,
): CardReview {
  return {
    ...review,
    dueOn: dayOf(review.due, timeZone),
    retrievability: retrievability(review, at, timeZone, weights),
  };
}
