import { useState } from 'preact/hooks';
import { useAction } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { useApi, useRights } from '../app/session.js';
import { SavePracticeSettings, type ScheduleResult } from '../generated/operations.js';
import { ErrorNotice } from '../ui/notices.js';

type Settings = ScheduleResult['practiceSettings'];

/** How much a day, how well remembered, and when days begin. */
export function PracticeSettingsForm({ settings, onSaved }: { settings: Settings; onSaved: () => void }) {
  const { t } = useWording();
  const api = useApi();
  const { write } = useRights();
  const [draft, setDraft] = useState(settings);
  const save = useAction(async () => {
    await api.run(SavePracticeSettings, { input: draft });
    onSaved();
  });
  const count = (field: 'dailyLimit' | 'newPerDay', least: number, most: number) => (
    <label class="field">
      <span>{t(`practiceSettings.${field}`)}</span>
      <input
        type="number"
        min={least}
        max={most}
        required
        value={draft[field]}
        onInput={(event) => setDraft({ ...draft, [field]: event.currentTarget.valueAsNumber })}
      />
    </label>
  );
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <details class="box">
      <summary>{t('practiceSettings.title')}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        {count('dailyLimit', 1, 500)}
        {count('newPerDay', 0, 500)}
        <label class="field" title={t('practiceSettings.desiredRetention.about')}>
          <span>{t('practiceSettings.desiredRetention')}</span>
          <input
            type="number"
            min={0.7}
            max={0.97}
            step={0.01}
            required
            value={draft.desiredRetention}
            onInput={(event) => setDraft({ ...draft, desiredRetention: event.currentTarget.valueAsNumber })}
          />
        </label>
        <label class="field">
          <span>{t('practiceSettings.timeZone')}</span>
          <input
            required
            value={draft.timeZone}
            onInput={(event) => setDraft({ ...draft, timeZone: event.currentTarget.value })}
          />
        </label>
        {draft.timeZone !== here && (
          <p>
            <button type="button" class="link" onClick={() => setDraft({ ...draft, timeZone: here })}>
              {t('practiceSettings.here', { zone: here })}
            </button>
          </p>
        )}
        <ErrorNotice error={save.error} />
        <button type="submit" disabled={!write || save.running}>
          {t('action.save')}
        </button>
      </form>
    </details>
  );
}
