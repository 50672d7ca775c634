import { useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { go, hrefWith, type Route } from '../app/router.js';
import { useRights, useSession } from '../app/session.js';
import { useTitle } from '../app/title.js';
import { Fingerprint, type FingerprintResult } from '../generated/operations.js';
import { Form, TextInput } from '../ui/fields.js';
import { QuestionLink } from '../ui/labels.js';
import { Empty, QueryState } from '../ui/notices.js';
import { HeatMap, Trend } from './heat-map.js';
import { TimeSelect, useLastDays } from './time-select.js';

type Overview = FingerprintResult['mistakeFingerprint'];

/** What a student gets wrong, and what to work on first. */
export function FingerprintPage({ route }: { route: Route }) {
  const { t } = useWording();
  const { staff } = useRights();
  const { viewer } = useSession();
  const owner = route.params.get('owner');
  const [days, from] = useLastDays(route, 0);
  const heading =
    owner === null || owner === viewer.ownerId ? t('nav.fingerprint') : `${t('nav.fingerprint')} · ${owner}`;
  useTitle(`${heading} · Errata`);
  return (
    <div class="page">
      <div class="page-head">
        <h1>{heading}</h1>
        {staff && <StudentField key={owner} route={route} owner={owner ?? viewer.ownerId} />}
        <TimeSelect route={route} value={days} />
      </div>
      {/* The key: while the report of the next student loads, that of the last one is not shown under the new name. */}
      <Report key={owner} owner={owner} from={from} />
    </div>
  );
}

function Report({ owner, from }: { owner: string | null; from: string | null }) {
  const { t } = useWording();
  const { viewer } = useSession();
  const query = useQuery(Fingerprint, { owner, from });
  const found = query.data?.mistakeFingerprint;
  const isOwn = owner === null || owner === viewer.ownerId;
  return (
    <>
      <QueryState query={query} />
      {found?.cells.length === 0 && (
        <Empty title={t('fingerprint.none')} about={t('fingerprint.none.about', { count: found.unlabelled })} />
      )}
      {found !== undefined && found.cells.length > 0 && (
        <div aria-busy={query.loading}>
          <WorthWorkingOn worth={found.mostWorth} isOwn={isOwn} />
          <section class="box" aria-label={t('fingerprint.heatMap')}>
            <h2>{t('fingerprint.heatMap')}</h2>
            <HeatMap cells={found.cells} isOwn={isOwn} />
            {found.unlabelled > 0 && <p class="detail">{t('fingerprint.unlabelled', { count: found.unlabelled })}</p>}
          </section>
          <RepeatOffences offences={found.repeatOffences} />
        </div>
      )}
    </>
  );
}

/** Teachers and admins ask for a student by the name of their credential. */
function StudentField({ route, owner }: { route: Route; owner: string }) {
  const { t } = useWording();
  const [typed, setTyped] = useState(owner);
  return (
    <Form
      class="student-field"
      onSubmit={() => typed.trim() !== '' && go(hrefWith('fingerprint', { owner: typed.trim() }, route.params))}
    >
      <TextInput label={t('column.student')} value={typed} maxLength={200} onInput={setTyped} />
      <button type="submit">{t('fingerprint.show')}</button>
    </Form>
  );
}

/** The three errors to work on first, with why and where to begin. */
function WorthWorkingOn({
  worth,
  isOwn,
}: {
  worth: Overview['mostWorth'];
  /** A ladder is for the viewer. */
  isOwn: boolean;
}) {
  const { t, number, percent } = useWording();
  if (worth.length === 0) return null;
  return (
    <section aria-label={t('worth.title')}>
      <h2>{t('worth.title')}</h2>
      <ol class="worth">
        {worth.map(({ errorType, topicTag, mistakes, inferred, successProbability, trend, cards }) => (
          <li key={`${errorType} ${topicTag}`} class="box">
            <h3>{errorType}</h3>
            <p class="detail">{topicTag ?? t('fingerprint.noTopic')}</p>
            <p>
              {t('worth.mistakes', { count: number(mistakes + inferred) })} · <Trend trend={trend} />
            </p>
            <p>{t('worth.probability', { percent: percent(successProbability) })}</p>
            <ul class="evidence">
              {cards.map((card) => (
                <li key={card.id}>
                  <QuestionLink card={card} />
                </li>
              ))}
            </ul>
            {isOwn && (
              <a
                class="button primary"
                href={hrefWith('ladder', cards[0] === undefined ? { error: errorType } : { card: cards[0].id })}
              >
                {t('ladder.practise')}
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Errors that came back after right answers. */
function RepeatOffences({ offences }: { offences: Overview['repeatOffences'] }) {
  const { t, number, date } = useWording();
  if (offences.length === 0) return null;
  return (
    <section class="box" aria-label={t('repeated.title')}>
      <h2>{t('repeated.title')}</h2>
      <ul class="offences">
        {offences.map(({ errorType, times, rightBetween, lastAt, card }) => (
          <li key={errorType}>
            <strong>{errorType}</strong>{' '}
            <span class="detail">
              {t('repeated.about', { times: number(times), right: number(rightBetween), date: date(lastAt) })}
            </span>
            <QuestionLink card={card} />
          </li>
        ))}
      </ul>
    </section>
  );
}
