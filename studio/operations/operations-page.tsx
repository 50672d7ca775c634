import { useState } from 'preact/hooks';
import { useAction, useAnswer, useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { useRights, useSession } from '../app/session.js';
import { IndexStatus, RebuildIndex, type StatusFields } from '../generated/operations.js';
import { Dialog } from '../ui/dialog.js';
import { Figures, Pairs } from '../ui/figures.js';
import { ErrorNotice, QueryState } from '../ui/notices.js';
import { Keys } from './keys.js';
import { SearchFigures } from './search-figures.js';

/** How often the figures are asked for anew, in ms. */
const EVERY_MS = 3_000;

export function OperationsPage() {
  const { t } = useWording();
  const rights = useRights();
  const { token } = useSession();
  const query = useQuery(IndexStatus, {}, { everyMs: EVERY_MS });
  const status = query.data?.indexStatus;
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t('nav.operations')}</h1>
        {rights.admin && rights.write && status !== undefined && (
          <Rebuild building={status.building} onStarted={query.reload} />
        )}
      </div>
      <QueryState query={query} />
      {status !== undefined && <Health status={status} stale={query.error !== null} />}
      {status !== undefined && <Index status={status} />}
      {/* Not before what is above them: it would move their buttons from under the pointer. */}
      {(status !== undefined || query.error !== null) && (
        <>
          {rights.admin && token !== null && <Keys />}
          {rights.staff && <SearchFigures />}
        </>
      )}
    </div>
  );
}

/**
 * One line that says what is so, the worst first: from the gateway's own readiness, the index, and whether these
 * figures are fresh.
 */
function Health({ status, stale }: { status: StatusFields; stale: boolean }) {
  const { t, number } = useWording();
  const readiness = useAnswer('readyz', async (_api, signal) => (await fetch('readyz', { signal })).ok, {
    everyMs: EVERY_MS,
  });
  const ready = readiness.error === null ? readiness.data : null;
  const { failed, pending, building } = status;
  const away = status.collections.filter(({ records }) => records === null).length;
  const [, tone, text] =
    (
      [
        [stale || ready === null, 'warning', t('health.stale')],
        [ready === false, 'error', t('health.notReady')],
        [away > 0, 'warning', t('health.chroma')],
        [failed > 0, 'warning', t('health.failed', { count: number(failed) })],
        [building, 'warning', t('health.building')],
        [pending > 0, 'warning', t('health.pending', { count: number(pending) })],
      ] as const
    ).find(([holds]) => holds) ?? ([true, 'good', t('health.good')] as const);
  return (
    <p class={`notice notice-${tone}`} role="status">
      <strong>{text}</strong>
    </p>
  );
}

function Index({ status }: { status: StatusFields }) {
  const { t, number, moment } = useWording();
  const { reconciliation, next } = status;
  return (
    <section class="box" aria-label={t('card.index')}>
      <h2>{t('card.index')}</h2>
      <Figures
        figures={(['cards', 'indexed', 'pending', 'failed'] as const).map((key) => ({
          key,
          name: t(`index.${key}`),
          value: number(status[key]),
          isBad: key === 'failed' && status.failed > 0,
        }))}
      />
      <Pairs
        pairs={[
          [t('receipt.model'), status.model],
          ...status.collections.map(
            ({ perspective, records }) =>
              [
                t('index.records', { perspective: t(`perspective.${perspective}`) }),
                records === null ? t('index.noAnswer') : number(records),
              ] as const,
          ),
        ]}
      />
      {next !== null && (
        <div class="next">
          <h3>{t('index.next', { model: next.model })}</h3>
          <progress max={Math.max(1, next.cards)} value={next.held} aria-label={t('report.progress')} />
          <p class="count">{t('cards.loaded', { loaded: number(next.held), total: number(next.cards) })}</p>
        </div>
      )}
      <h3 class="spaced">{t('reconciliation.title')}</h3>
      {reconciliation === null ? (
        <p class="detail">{t('reconciliation.none')}</p>
      ) : (
        <>
          <p class="detail">
            {t('reconciliation.about', {
              at: moment(reconciliation.finishedAt),
              cards: number(reconciliation.cards),
              probed: number(reconciliation.probed),
            })}
          </p>
          <Figures
            figures={(['missing', 'stale', 'orphans', 'unreachable', 'repaired'] as const).map((key) => ({
              key,
              name: t(`reconciliation.${key}`),
              value: number(reconciliation[key]),
            }))}
          />
        </>
      )}
    </section>
  );
}

function Rebuild({ building, onStarted }: { building: boolean; onStarted: () => void }) {
  const { t } = useWording();
  const [asking, setAsking] = useState(false);
  const rebuild = useAction(async (api) => {
    await api.run(RebuildIndex, {});
    setAsking(false);
    onStarted();
  });
  return (
    <>
      {/* Disabled, it could not get the focus back from the dialog. */}
      <button type="button" aria-disabled={building} onClick={() => !building && setAsking(true)}>
        {t('index.rebuild')}
      </button>
      {asking && (
        <Dialog title={t('index.rebuild')} onClose={() => setAsking(false)}>
          <p>{t('index.rebuild.about')}</p>
          <ErrorNotice error={rebuild.error} />
          <button type="button" class="primary" disabled={rebuild.running} onClick={() => rebuild.run()}>
            {t('index.rebuild')}
          </button>
        </Dialog>
      )}
    </>
  );
}
