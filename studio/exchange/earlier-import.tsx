import { useWording } from '../app/i18n.js';
import { ErrorNotice, Loading } from '../ui/notices.js';
import { ImportReport } from './import-report.js';
import { useImport } from './use-import.js';

/** An import that was begun before the page was opened, or before another file was chosen. */
export function EarlierImport({ id }: { id: string }) {
  const { t } = useWording();
  const work = useImport(id);
  // It was begun at another gateway, or is forgotten there.
  if (work.error?.code === 'NOT_FOUND') return null;
  return (
    <section class="box" aria-labelledby={`import-${id}`}>
      <h2 id={`import-${id}`}>{work.job?.name ?? t('import.title')}</h2>
      <ErrorNotice error={work.error} />
      {work.job === null ? work.error === null && <Loading /> : <ImportReport {...work} job={work.job} />}
      {work.sending && (
        <p class="actions">
          <button type="button" disabled={work.cancel.running} onClick={() => work.cancel.run()}>
            {t('action.cancel')}
          </button>
        </p>
      )}
    </section>
  );
}
