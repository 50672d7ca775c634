import { useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { go, href, hrefWith, type Route } from '../app/router.js';
import { useRights, useSession } from '../app/session.js';
import { Fingerprint } from '../generated/operations.js';
import { Form, TextInput } from '../ui/fields.js';
import { Empty, ErrorNotice, Loading } from '../ui/notices.js';
import { HeatMap } from './heat-map.js';
import { RepeatOffences } from './repeat-offences.js';
import { TimeSelect, useLastDays } from './time-select.js';
import { WorthWorkingOn } from './worth-working-on.js';

export function fingerprintHref(owner: string): string {
  return `${href('fingerprint')}?${new URLSearchParams({ owner })}`;
}

/** What a student gets wrong, and what to work on first. */
export function FingerprintPage({ route }: { route: Route }) {
  const { t } = useWording();
  const { staff } = useRights();
  const { viewer } = useSession();
  const owner = route.params.get('owner');
  const [days, from] = useLastDays(route, 0);
  return (
    <div class="page">
      <div class="page-head">
        <h1>
          {t('nav.fingerprint')}
          {owner !== null && owner !== viewer.ownerId && ` · ${owner}`}
        </h1>
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
  const { data, error, loading, reload } = useQuery(Fingerprint, { owner, from });
  const found = data?.mistakeFingerprint;
  const isOwn = owner === null || owner === viewer.ownerId;
  return (
    <>
      <ErrorNotice error={error} retry={reload} />
      {found === undefined ? (
        error === null && <Loading />
      ) : found.cells.length === 0 ? (
        <Empty title={t('fingerprint.none')}>
          <p>{t('fingerprint.none.about', { count: found.unlabelled })}</p>
        </Empty>
      ) : (
        <div aria-busy={loading}>
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
    <Form class="student-field" onSubmit={() => typed.trim() !== '' && go(hrefWith(route, { owner: typed.trim() }))}>
      <TextInput label={t('fingerprint.student')} value={typed} maxLength={200} onInput={setTyped} />
      <button type="submit">{t('fingerprint.show')}</button>
    </Form>
  );
}
