import { useState } from 'preact/hooks';
import { useAction } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import { downloadExport, type ExportFormat, FormatSelect } from '../ui/download.js';
import { ErrorNotice } from '../ui/notices.js';

/** Everything that one may see, as a file. A selection is exported from the list of cards. */
export function ExportBox() {
  const { t, fileLanguage } = useWording();
  const [format, setFormat] = useState<ExportFormat>('xlsx');
  const save = useAction((api) => downloadExport(api, { format, language: fileLanguage }));
  return (
    <section class="box" aria-label={t('export.title')}>
      <h2>{t('export.title')}</h2>
      <p class="actions">
        <FormatSelect format={format} choose={setFormat} />
        <button type="button" disabled={save.running} onClick={() => save.run()}>
          {t('export.all')}
        </button>
        <span class="detail">
          {t('export.selection')} <a href={href('cards')}>{t('nav.cards')}</a>
        </span>
      </p>
      <ErrorNotice error={save.error} />
    </section>
  );
}
