import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { useWording } from '../app/i18n.js';
import { QuestionLink } from '../ui/labels.js';
import { ErrorNotice } from '../ui/notices.js';
import { type Task, TaskView } from './task.js';
import { useSharedAttempts } from './use-attempts.js';

export interface Tally {
  readonly done: number;
  readonly right: number;
}

/** Tasks one by one. `onEnd` comes when all are done and no attempt waits. */
export function Run({ tasks: given, onEnd }: { tasks: readonly Task[]; onEnd: (tally: Tally) => void }) {
  const { t, moment } = useWording();
  /** A list that is fetched again meanwhile begins elsewhere. */
  const [tasks] = useState(given);
  const attempts = useSharedAttempts();
  const [tally, setTally] = useState<Tally>({ done: 0, right: 0 });
  const { done, right } = tally;
  const [begunAt] = useState(() => performance.now());
  /** Tasks that were done in another tab meanwhile: an attempt here would be a second one. */
  const [skipped, setSkipped] = useState(0);
  const place = done + skipped;
  const task = tasks[place];
  const isDoneElsewhere = task !== undefined && attempts.isElsewhereSince(begunAt, task.card.id);
  useLayoutEffect(() => {
    if (isDoneElsewhere) setSkipped(skipped + 1);
  }, [isDoneElsewhere, skipped]);
  const { last } = attempts;
  const isOfThese = tasks.some(({ card }) => card.id === last?.cardId);
  const isOver = task === undefined && attempts.waiting === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is over
  useEffect(() => {
    if (isOver) onEnd(tally);
  }, [isOver]);
  return (
    <section aria-label={t('practice.title')}>
      {tasks.length > 0 && (
        <p class="actions run-progress">
          <progress max={tasks.length} value={place} aria-label={t('report.progress')} />
          <span class="count">
            {t('practice.place', { place: Math.min(place + 1, tasks.length), total: tasks.length })}
          </span>
        </p>
      )}
      <NotStored />
      {task !== undefined && (
        <TaskView
          key={place}
          task={task}
          onAttempt={(attempt) => {
            attempts.record(attempt, task.card);
            setTally({ done: done + 1, right: right + (attempt.correct ? 1 : 0) });
          }}
        />
      )}
      {/* Last: it comes after a while, and must not move the buttons of the next task. */}
      <p class="detail" role="status">
        {isOfThese && last?.review != null && t('practice.next', { when: moment(last.review.due) })}
      </p>
    </section>
  );
}

export function NotStored() {
  const { t, named } = useWording();
  const { waiting, error, refused, flush } = useSharedAttempts();
  return (
    <>
      <ErrorNotice error={error} retry={flush} />
      {error !== null && <p class="detail">{t('practice.waiting', { count: waiting })}</p>}
      {refused.map(({ key, question, outcome }) => (
        <p key={key} class="notice notice-warning">
          <QuestionLink card={question} /> {named('practice.refused', outcome)}
        </p>
      ))}
    </>
  );
}
