import { useRef, useState } from 'preact/hooks';
import { useAction } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { useRights } from '../app/session.js';
import { SavePracticeSettings, type ScheduleResult } from '../generated/operations.js';
import { Form, TextInput } from '../ui/fields.js';
import { ErrorNotice } from '../ui/notices.js';

type Settings = ScheduleResult['practiceSettings'];

const timeZoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * For whoever has no time zone yet: days are those of UTC. In China they begin at eight in the morning, and reviews of
 * a day are not shown before.
 */
export function TimeZoneNotice({ settings, onSaved }: { settings: Settings; onSaved: () => void }) {
  const { t, time } = useWording();
  const { write } = useRights();
  const here = timeZoneHere();
  const save = useAction(async (api) => {
    await api.run(SavePracticeSettings, { input: { timeZone: here } });
    onSaved();
  });
  if (!write || settings.timeZone !== 'UTC' || new Date().getTimezoneOffset() === 0) return null;
  return (
    <section class="notice notice-warning">
      <p>{t('practiceSettings.utc', { time: time(new Date().setUTCHours(0, 0, 0, 0)) })}</p>
      <button type="button" class="link" disabled={save.running} onClick={() => save.run()}>
        {t('practiceSettings.here', { zone: here })}
      </button>
      <ErrorNotice error={save.error} />
    </section>
  );
}

export function PracticeSettingsForm({ settings, onSaved }: { settings: Settings; onSaved: () => void }) {
  const { t } = useWording();
  const { write } = useRights();
  const [timeZone, setTimeZone] = useState(settings.timeZone);
  /** As they are typed: "0." is no number yet, and must stay. */
  const [texts, setTexts] = useState({
    dailyLimit: String(settings.dailyLimit),
    newPerDay: String(settings.newPerDay),
    desiredRetention: String(settings.desiredRetention),
  });
  const box = useRef<HTMLDetailsElement>(null);
  const save = useAction(async (api) => {
    const numbers = {
      dailyLimit: Number(texts.dailyLimit),
      newPerDay: Number(texts.newPerDay),
      desiredRetention: Number(texts.desiredRetention),
    };
    await api.run(SavePracticeSettings, { input: { ...numbers, timeZone } });
    // The form is replaced when the saved settings arrive: nothing can be typed until then.
    if (box.current !== null) box.current.open = false;
    onSaved();
  });
  const numberField = (
    field: keyof typeof texts,
    range: { min: number; max: number; step?: number },
    about?: string,
  ) => (
    <TextInput
      type="number"
      label={t(`practiceSettings.${field}`)}
      title={about}
      {...range}
      required
      value={texts[field]}
      onInput={(text) => setTexts({ ...texts, [field]: text })}
    />
  );
  const here = timeZoneHere();
  return (
    <details class="box" ref={box}>
      <summary>{t('practiceSettings.title')}</summary>
      <Form onSubmit={save.run}>
        {/* What would be typed while they are saved would be lost. */}
        <fieldset disabled={save.running}>
          {numberField('dailyLimit', { min: 1, max: 500 })}
          {numberField('newPerDay', { min: 0, max: 500 })}
          {numberField(
            'desiredRetention',
            { min: 0.7, max: 0.97, step: 0.01 },
            t('practiceSettings.desiredRetention.about'),
          )}
          <TextInput label={t('practiceSettings.timeZone')} required value={timeZone} onInput={setTimeZone} />
          {timeZone !== here && (
            <p>
              <button type="button" class="link" onClick={() => setTimeZone(here)}>
                {t('practiceSettings.here', { zone: here })}
              </button>
            </p>
          )}
          <ErrorNotice error={save.error} />
          <button type="submit" disabled={!write}>
            {t('action.save')}
          </button>
        </fieldset>
      </Form>
    </details>
  );
}
