import { useState } from 'preact/hooks';
import { useAction } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import { useApi, useRights } from '../app/session.js';
import { DeleteCard } from '../generated/operations.js';
import { Dialog } from '../ui/dialog.js';
import { downloadExport, type ExportFormat } from '../ui/download.js';
import { FormatSelect } from '../ui/format-select.js';
import { ErrorNotice } from '../ui/notices.js';
import { useSelection } from '../ui/selection.js';

/** What can be done with the cards that were picked. */
export function SelectionBar({ onDeleted }: { onDeleted: () => void }) {
  const { t, language } = useWording();
  const api = useApi();
  const rights = useRights();
  const { cards, set } = useSelection();
  const [format, setFormat] = useState<ExportFormat>('xlsx');
  const [asking, setAsking] = useState(false);
  const save = useAction(() =>
    downloadExport(api, { format, cardIds: [...cards.keys()], language: language === 'en' ? 'en' : 'zh' }),
  );
  const remove = useAction(async () => {
    for (const id of cards.keys()) await api.run(DeleteCard, { id });
    set(new Map());
    setAsking(false);
    onDeleted();
  });
  if (cards.size === 0) return null;
  return (
    <section class="selection-bar" aria-label={t('selection.title')}>
      <strong>{t('selection.count', { count: cards.size })}</strong>
      <a class="button primary" href={href('paper')}>
        {t('selection.paper')}
      </a>
      <span class="joined">
        <FormatSelect format={format} choose={setFormat} />
        <button type="button" disabled={save.running} onClick={() => save.run()}>
          {t('selection.export')}
        </button>
      </span>
      {rights.write && (
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          {t('selection.delete')}
        </button>
      )}
      <button type="button" class="quiet" onClick={() => set(new Map())}>
        {t('selection.clear')}
      </button>
      <ErrorNotice error={save.error} />
      {asking && (
        <Dialog title={t('selection.delete')} onClose={() => setAsking(false)}>
          <p>{t('selection.delete.sure', { count: cards.size })}</p>
          <ErrorNotice error={remove.error} />
          <p class="actions">
            <button type="button" class="danger" disabled={remove.running} onClick={() => remove.run()}>
              {t('selection.delete')}
            </button>
            <button type="button" onClick={() => setAsking(false)}>
              {t('action.cancel')}
            </button>
          </p>
        </Dialog>
      )}
    </section>
  );
}
