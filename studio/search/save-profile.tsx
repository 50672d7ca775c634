import { useState } from 'preact/hooks';
import { useAction } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { useApi } from '../app/session.js';
import { SaveSearchProfile, type SearchProfilesResult } from '../generated/operations.js';
import { Dialog } from '../ui/dialog.js';
import { ErrorNotice } from '../ui/notices.js';
import type { Tuning } from './state.js';

export function SaveProfile({
  tuning,
  profiles,
  onClose,
  onSaved,
}: {
  tuning: Tuning;
  profiles: SearchProfilesResult['searchProfiles'];
  onClose: () => void;
  onSaved: (name: string) => void;
}) {
  const { t } = useWording();
  const api = useApi();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const save = useAction(async () => {
    const base = profiles.find((one) => one.name === (tuning.profile ?? 'default'))?.settings;
    const settings = {
      weights: tuning.weights ?? base?.weights,
      lexicalShare: tuning.lexicalShare ?? base?.lexicalShare,
      diversity: tuning.diversity ?? base?.diversity,
      fusion: tuning.fusion ?? base?.fusion,
    };
    const input = { name: name.trim(), description: description.trim() || null, settings };
    const { saveSearchProfile } = await api.run(SaveSearchProfile, { input: input as never });
    onSaved(saveSearchProfile.name);
  });
  return (
    <Dialog title={t('profile.save')} onClose={onClose}>
      <p>{t('profile.about')}</p>
      <form
        class="stacked"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        <label class="field">
          <span>{t('profile.name')}</span>
          <input required maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>{t('profile.description')}</span>
          <input value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
        </label>
        {profiles.some((one) => one.name === name.trim()) && <p class="detail">{t('profile.replaces')}</p>}
        <ErrorNotice error={save.error} />
        <button type="submit" class="primary" disabled={save.running || name.trim() === ''}>
          {t('action.save')}
        </button>
      </form>
    </Dialog>
  );
}
