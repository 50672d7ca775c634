import { useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import { useRights, useSession } from '../app/session.js';
import { DueCards, type DueCardsResult, Schedule, type ScheduleResult } from '../generated/operations.js';
import { Check } from '../ui/fields.js';
import { Empty, ErrorNotice, Loading } from '../ui/notices.js';
import { Forecast, STATISTICS_DAYS } from './forecast.js';
import { PracticeSettingsForm, TimeZoneNotice } from './practice-settings.js';
import { NotStored, Run } from './run.js';
import type { Task } from './task.js';
import { useSharedAttempts } from './use-attempts.js';

type DueNode = DueCardsResult['dueCards']['nodes'][number];

/** Cards that are fetched at once; fewer than the gateway takes with siblings. */
const AT_ONCE = 10;

/** The reviews of today, one by one, and those of the next days. */
export function TodayPage() {
  const { t } = useWording();
  const [withSiblings, setWithSiblings] = useState(false);
  const due = useQuery(DueCards, { first: AT_ONCE, serve: withSiblings ? 'SIBLING' : 'CARD' });
  const { viewer } = useSession();
  const schedule = useQuery(Schedule, { owner: viewer.ownerId, days: STATISTICS_DAYS });
  /** The list that was worked through: the next one is awaited. */
  const [finished, setFinished] = useState<DueCardsResult | null>(null);
  const list = due.data === finished ? null : due.data;
  const { isNewsSince } = useSharedAttempts();
  const nodes = list?.dueCards.nodes ?? [];
  /** Still due in the list, which does not know of their attempts. */
  const answered = nodes.filter(({ card }) => isNewsSince(due.askedAt, card.id));
  const reload = (): void => {
    due.reload();
    schedule.reload();
  };
  /** The days or limits are others. */
  const startAnew = (): void => {
    setFinished(due.data);
    reload();
  };
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t('nav.today')}</h1>
        {list !== null && (
          <span class="count">
            {t('today.counts', {
              left: list.dueCards.totalCount - answered.length,
              done: list.dueCards.doneToday + answered.filter(isNewToday).length,
            })}
          </span>
        )}
      </div>
      <div class="card-columns">
        <div>
          <ErrorNotice error={due.error} retry={due.reload} />
          {list === null ? (
            due.error === null && <Loading />
          ) : nodes.length > 0 ? (
            <Run
              key={withSiblings}
              tasks={nodes.filter((node) => !answered.includes(node)).map(taskOf)}
              onEnd={() => {
                setFinished(list);
                reload();
              }}
            />
          ) : schedule.data === null && schedule.error === null ? (
            <Loading />
          ) : (
            <>
              <NotStored />
              <NothingLeft list={list} schedule={schedule.data} reload={reload} />
            </>
          )}
        </div>
        <aside>
          <Check
            class="check box"
            label={t('today.siblings')}
            checked={withSiblings}
            onChange={(checked) => {
              setFinished(due.data);
              setWithSiblings(checked);
            }}
          />
          <ErrorNotice error={schedule.error} retry={schedule.reload} />
          {schedule.data !== null && (
            <>
              <TimeZoneNotice settings={schedule.data.practiceSettings} onSaved={startAnew} />
              <Forecast forecast={schedule.data} later={due.data === null ? 0 : laterReviews(due.data)} />
              <PracticeSettingsForm
                key={JSON.stringify(schedule.data.practiceSettings)}
                settings={schedule.data.practiceSettings}
                onSaved={startAnew}
              />
            </>
          )}
        </aside>
      </div>
    </div>
  );
}

/** Whether practising it makes one more card of today: a sibling is never one that was practised before. */
function isNewToday({ sibling, practisedToday }: DueNode): boolean {
  return sibling !== null || !practisedToday;
}

function taskOf({ card, sibling, successProbability }: DueNode): Task {
  return sibling === null
    ? { card, reviewOf: null, about: null, successProbability }
    : { card: sibling.card, reviewOf: card.id, about: null, successProbability };
}

/**
 * Due reviews beyond the daily limit. If any are left out, the list has no new cards: these come after all reviews.
 */
function laterReviews({ dueCards: { dueReviews, totalCount } }: DueCardsResult): number {
  return Math.max(0, dueReviews - totalCount);
}

/** Nothing was ever there, the day is done, or the daily limit leaves the rest for tomorrow. */
function NothingLeft({
  list,
  schedule,
  reload,
}: {
  list: DueCardsResult;
  /** Null if it could not be loaded. */
  schedule: ScheduleResult | null;
  reload: () => void;
}) {
  const { t } = useWording();
  const { write } = useRights();
  const { doneToday, dueReviews } = list.dueCards;
  const [today = 0, tomorrow = 0] = (schedule?.reviewForecast ?? []).map(({ reviews }) => reviews);
  // Answered wrong, or for the first time.
  const soon = Math.max(0, today - dueReviews);
  const isNew =
    doneToday === 0 &&
    schedule?.cards.totalCount === 0 &&
    schedule.reviewForecast.every(({ reviews }) => reviews === 0);
  if (isNew) {
    return (
      <Empty title={t('today.none')} about={t('today.none.about')}>
        {write && (
          <p class="actions centred">
            <a class="button primary" href={href('cards', 'new')}>
              {t('cards.new')}
            </a>
            <a class="button" href={href('exchange')}>
              {t('nav.exchange')}
            </a>
          </p>
        )}
      </Empty>
    );
  }
  return (
    <Empty title={t('today.done')}>
      {schedule !== null && <p>{t('today.done.about', { done: doneToday, tomorrow })}</p>}
      {dueReviews > 0 && <p>{t('today.limit', { count: dueReviews })}</p>}
      {soon > 0 && <p>{t('today.soon', { count: soon })}</p>}
      <p class="actions centred">
        {soon > 0 && (
          <button type="button" onClick={reload}>
            {t('today.again')}
          </button>
        )}
        <a class="button" href={href('fingerprint')}>
          {t('today.fingerprint')}
        </a>
      </p>
    </Empty>
  );
}
