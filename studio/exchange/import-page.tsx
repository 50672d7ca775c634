import { useContext, useEffect, useState } from 'preact/hooks';
import { useAction } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { mayLeave, useLeaveGuard } from '../app/router.js';
import { useRights } from '../app/session.js';
import { DIFFICULTIES } from '../ui/card-values.js';
import { saveBlob } from '../ui/download.js';
import { Select } from '../ui/fields.js';
import { PartsRound } from '../ui/late-parts.js';
import { NamedInput } from '../ui/named-input.js';
import { ErrorNotice, Loading } from '../ui/notices.js';
import { EarlierImport } from './earlier-import.js';
import { ExportBox } from './export-box.js';
import { ImportReport } from './import-report.js';
import { useKeptImports } from './kept-imports.js';
import { MappingTable } from './mapping-table.js';
import type { Preview } from './preview.js';
import { type Settings, useImport } from './use-import.js';

const NO_SETTINGS: Settings = { columns: {}, defaults: {}, onDuplicate: 'MERGE' };

/** Notebooks in and out. A file is looked at, then tried, then imported: nothing is stored before the last step. */
export function ImportPage() {
  const { t, fileLanguage } = useWording();
  const rights = useRights();
  const [file, setFile] = useState<File | null>(null);
  const [previews, setPreviews] = useState<readonly Preview[] | 'reading'>([]);
  const [shown, setShown] = useState(0);
  const [settings, setSettings] = useState<Settings>(NO_SETTINGS);
  const [over, setOver] = useState(false);
  const work = useImport();
  const preview = previews === 'reading' ? undefined : previews[shown];
  const round = useContext(PartsRound);
  const kept = useKeptImports();
  const [earlier, setEarlier] = useState(kept.ids);
  useLeaveGuard(work.sending && !work.dryRun && work.runningId === null, t('import.leave'));
  /** What a trial was refused with, the import would be refused with too. */
  const tried = work.dryRun && work.job?.state === 'DONE';

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` reads a file again that has no preview yet
  useEffect(() => {
    let gone = false;
    if (file !== null && (previews === 'reading' || previews.length === 0)) {
      void readPreviews(file).then((read) => {
        if (gone) return;
        setPreviews(read);
        // A sheet of explanations may come first.
        const first = read.findIndex(({ isHeader }) => isHeader);
        setShown(Math.max(0, first));
      });
    }
    return () => {
      gone = true;
    };
  }, [file, round]);
  const take = (files: FileList | null | undefined): void => {
    const [first] = files ?? [];
    if (first === undefined || !mayLeave()) return;
    if (work.runningId !== null) setEarlier([...earlier, work.runningId]);
    work.reset();
    setSettings(NO_SETTINGS);
    setPreviews('reading');
    setFile(first);
  };
  /** What was tried is not what would be imported now. */
  const change = (changed: Settings): void => {
    work.reset();
    setSettings(changed);
  };
  const sheetName = (one: Preview | undefined): string => {
    const sheet = one?.sheet ?? '';
    return isShown(one) ? sheet : t('import.sheet.notShown', { sheet });
  };
  const template = useAction(async (api) => {
    const response = await api.fetch(`template.xlsx?language=${fileLanguage}`, { method: 'GET' });
    saveBlob(await response.blob(), 'errata-template.xlsx');
  });
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t('nav.exchange')}</h1>
        <button type="button" disabled={template.running} onClick={() => template.run()}>
          {t('import.template')}
        </button>
      </div>
      <ErrorNotice error={template.error} />
      {rights.write && (
        <section class="box" aria-label={t('import.title')}>
          <h2>{t('import.title')}</h2>
          <label
            class={over ? 'drop drop-over' : 'drop'}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={(event) => {
              event.preventDefault();
              setOver(false);
              take(event.dataTransfer?.files);
            }}
          >
            <input
              type="file"
              accept=".xlsx,.csv,.json,.jsonl"
              onChange={({ currentTarget }) => {
                take(currentTarget.files);
                // Else choosing the corrected file of the same name would change nothing.
                currentTarget.value = '';
              }}
            />
            <strong>{file === null ? t('import.drop') : file.name}</strong>
            <span class="detail">{t('import.kinds')}</span>
          </label>
          {previews === 'reading' && <Loading />}
          {/* After the preview, which would move it. */}
          {file !== null && previews !== 'reading' && (
            <>
              <fieldset disabled={work.sending}>
                {previews.length > 1 && (
                  <>
                    <Select
                      label={t('import.sheet')}
                      value={String(shown)}
                      values={previews.map((_, place) => String(place))}
                      nameOf={(place) => sheetName(previews[Number(place)])}
                      onChange={(place) => setShown(Number(place))}
                    />
                    <p class="detail">{t('import.sheets')}</p>
                  </>
                )}
                {isShown(preview) ? (
                  <MappingTable
                    preview={preview}
                    columns={settings.columns}
                    onChange={(columns) => change({ ...settings, columns })}
                  />
                ) : (
                  <p class="detail">{t('import.noPreview')}</p>
                )}
                <Choices settings={settings} onChange={change} />
              </fieldset>
              <p class="actions">
                <button
                  type="button"
                  class={tried ? '' : 'primary'}
                  disabled={work.sending}
                  onClick={() => work.send(file, settings, true)}
                >
                  {t('import.try')}
                </button>
                <button
                  type="button"
                  class={tried ? 'primary' : ''}
                  disabled={work.sending || !tried}
                  onClick={() => work.send(file, settings, false)}
                >
                  {t('import.start')}
                </button>
                {work.sending && (
                  <button type="button" disabled={work.cancel.running} onClick={() => work.cancel.run()}>
                    {t('action.cancel')}
                  </button>
                )}
                {/* A large file takes minutes to send. */}
                <span class="detail" role="status">
                  {work.job === null && t(work.sending ? 'import.sending' : 'import.tryFirst')}
                </span>
              </p>
            </>
          )}
          <ErrorNotice error={work.error} />
          {work.job !== null && <ImportReport {...work} job={work.job} />}
        </section>
      )}
      {rights.write && earlier.map((id) => <EarlierImport key={id} id={id} />)}
      <ExportBox />
    </div>
  );
}

/** The names of columns in all spellings are loaded with the first file. None if they cannot be loaded. */
async function readPreviews(file: File): Promise<readonly Preview[]> {
  const loaded = await import('./preview.js').catch(() => null);
  return loaded === null ? [] : loaded.previewsOf(file);
}

function isShown(preview: Preview | undefined): preview is Preview {
  return preview !== undefined && preview.headers.length > 0;
}

function Choices({ settings, onChange }: { settings: Settings; onChange: (settings: Settings) => void }) {
  const { t } = useWording();
  const setDefault = (field: 'subject' | 'difficulty', text: string): void => {
    const { [field]: _, ...others } = settings.defaults;
    const value = field === 'difficulty' ? Number(text) : text.trim();
    onChange({ ...settings, defaults: text.trim() === '' ? others : { ...others, [field]: value } });
  };
  return (
    <div class="field-row">
      <Select
        label={t('import.onDuplicate')}
        value={settings.onDuplicate}
        values={['MERGE', 'KEEP', 'REJECT']}
        nameOf={(one) => t(`onDuplicate.${one}`)}
        onChange={(onDuplicate) => onChange({ ...settings, onDuplicate })}
      />
      <NamedInput
        kind="subject"
        label={t('import.defaultSubject')}
        value={String(settings.defaults.subject ?? '')}
        onChange={(subject) => setDefault('subject', subject)}
      />
      <Select
        label={t('import.defaultDifficulty')}
        value={String(settings.defaults.difficulty ?? '')}
        values={['', ...DIFFICULTIES.map(String)]}
        nameOf={(level) => level || '–'}
        onChange={(level) => setDefault('difficulty', level)}
      />
    </div>
  );
}
