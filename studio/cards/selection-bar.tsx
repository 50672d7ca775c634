import { useRef, useState } from 'preact/hooks';
import { useAction } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import { useRights } from '../app/session.js';
import { type CardFields, DeleteCards, type DeleteCardsResult } from '../generated/operations.js';
import { Dialog } from '../ui/dialog.js';
import { downloadExport, type ExportFormat, FormatSelect } from '../ui/download.js';
import { MathText } from '../ui/math-text.js';
import { ErrorNotice } from '../ui/notices.js';
import { useSelection } from '../ui/selection.js';
import { currentCards, selectionNow } from './current-cards.js';

export function SelectionBar({ onDeleted }: { onDeleted: (ids: readonly string[]) => void }) {
  const { t, fileLanguage, named } = useWording();
  const { mayChange } = useRights();
  const { cards, set } = useSelection();
  const [format, setFormat] = useState<ExportFormat>('xlsx');
  const [asking, setAsking] = useState(false);
  /** How many the export found deleted or merged, and what has been selected since then. */
  const [dropped, setDropped] = useState({ count: 0, left: cards });
  /** The cards selected by the time of an answer. */
  const latest = useRef(cards);
  latest.current = cards;
  const save = useAction(async (api) => {
    const asked = [...cards.keys()];
    const found = await currentCards(api, asked);
    const left = selectionNow(asked, found);
    const count = asked.filter((id) => !left.has(id)).length;
    if (count > 0) {
      const others = [...latest.current].filter(([id]) => !cards.has(id));
      const next = selectionNow(latest.current.keys(), new Map<string, CardFields>([...others, ...found]));
      set(next);
      setDropped({ count, left: next });
    }
    if (left.size > 0) await downloadExport(api, { format, cardIds: [...left.keys()], language: fileLanguage });
  });
  const [failed, setFailed] = useState<DeleteCardsResult['deleteCards']>([]);
  const remove = useAction(async (api) => {
    let deleted: readonly string[] = [];
    try {
      const { deleteCards } = await api.run(DeleteCards, { ids: [...cards.keys()] });
      const left = deleteCards.filter(({ error }) => error !== null);
      deleted = deleteCards.filter(({ error }) => error === null).map(({ id }) => id);
      set((before) => new Map([...before].filter(([id]) => !deleted.includes(id))));
      setFailed(left);
      if (left.length === 0) setAsking(false);
    } finally {
      // Some may be deleted even if the answer was lost.
      onDeleted(deleted);
    }
  });
  const ask = (): void => {
    setFailed([]);
    remove.clear();
    setAsking(true);
  };
  const notice = dropped.count > 0 && dropped.left === cards && (
    <p class="notice notice-warning" role="status">
      {t('selection.dropped', { count: dropped.count })}
    </p>
  );
  if (cards.size === 0) return notice || null;
  return (
    <section class="actions selection-bar" aria-label={t('selection.title')}>
      <strong>{t('selection.count', { count: cards.size })}</strong>
      <a class="button primary" href={href('paper')}>
        {t('selection.paper')}
      </a>
      <span class="actions">
        <FormatSelect format={format} choose={setFormat} />
        <button type="button" disabled={save.running} onClick={() => save.run()}>
          {t('selection.export')}
        </button>
      </span>
      {[...cards.values()].every(mayChange) && (
        <button type="button" class="danger" onClick={ask}>
          {t('selection.delete')}
        </button>
      )}
      <button type="button" class="quiet" onClick={() => set(new Map())}>
        {t('selection.clear')}
      </button>
      {notice}
      <ErrorNotice error={save.error} />
      {asking && (
        <Dialog title={t('selection.delete')} onClose={() => setAsking(false)}>
          <p>{t('selection.delete.sure', { count: cards.size })}</p>
          <ErrorNotice error={remove.error} />
          {failed.length > 0 && (
            <div class="notice notice-error" role="alert">
              <p>{t('selection.delete.failed', { count: failed.length })}</p>
              <ul>
                {failed.map(({ id, error }) => (
                  <li key={id}>
                    <MathText text={cards.get(id)?.questionText ?? id} inline />
                    <p class="detail">{named('error', error?.errorCode ?? 'INTERNAL')}</p>
                  </li>
                ))}
              </ul>
            </div>
          )}
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
