import { useState } from 'preact/hooks';
import { useAction } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { SaveSearchProfile } from '../generated/operations.js';
import { Dialog } from '../ui/dialog.js';
import { Form, TextInput } from '../ui/fields.js';
import { ErrorNotice } from '../ui/notices.js';
import { type ProfileSettings, type Tuning, tunedSettings } from './state.js';

/** Profiles that nobody can replace. */
const FIXED: readonly string[] = ['default', 'plain-vectors', 'learned'];

export function SaveProfile({
  tuning,
  base,
  names,
  onClose,
  onSaved,
}: {
  tuning: Tuning;
  /** What `tuning` changes. */
  base: ProfileSettings;
  /** Of the profiles that there are. */
  names: readonly string[];
  onClose: () => void;
  onSaved: (name: string) => void;
}) {
  const { t } = useWording();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const save = useAction(async (api) => {
    const settings = tunedSettings(base, tuning);
    const input = { name: name.trim(), description: description.trim() || null, settings };
    const { saveSearchProfile } = await api.run(SaveSearchProfile, { input });
    onSaved(saveSearchProfile.name);
  });
  return (
    <Dialog title={t('profile.save')} onClose={onClose}>
      <p>{t('profile.about')}</p>
      <Form class="stacked" onSubmit={save.run}>
        <TextInput label={t('profile.name')} required maxLength={100} value={name} onInput={setName} />
        <TextInput label={t('profile.description')} value={description} onInput={setDescription} />
        {names.includes(name.trim()) && !FIXED.includes(name.trim()) && <p class="detail">{t('profile.replaces')}</p>}
        <ErrorNotice error={save.error} />
        <button type="submit" class="primary" disabled={save.running || name.trim() === ''}>
          {t('action.save')}
        </button>
      </Form>
    </Dialog>
  );
}
