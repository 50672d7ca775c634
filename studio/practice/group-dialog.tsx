import { useState } from 'preact/hooks';
import { useAction } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { useLeaveGuard } from '../app/router.js';
import { DeleteStudentGroup, SaveStudentGroup, type StudentGroupInput } from '../generated/operations.js';
import { Dialog } from '../ui/dialog.js';
import { Form, TextInput } from '../ui/fields.js';
import { ErrorNotice } from '../ui/notices.js';
import { IDS, TagInput } from '../ui/tag-input.js';

export function GroupDialog({
  group,
  names,
  onClose,
  onSaved,
}: {
  group: StudentGroupInput | null;
  /** Of all groups. */
  names: readonly string[];
  onClose: () => void;
  /** Null if it was deleted. */
  onSaved: (name: string | null) => void;
}) {
  const { t } = useWording();
  const [name, setName] = useState(group?.name ?? '');
  const [owners, setOwners] = useState(group?.owners ?? []);
  const [asking, setAsking] = useState(false);
  useLeaveGuard(owners.join('\n') !== (group?.owners ?? []).join('\n'), t('group.leave'));
  const save = useAction(async (api) => {
    await api.run(SaveStudentGroup, { input: { name: name.trim(), owners } });
    onSaved(name.trim());
  });
  const remove = useAction(async (api) => {
    await api.run(DeleteStudentGroup, { name });
    onSaved(null);
  });
  return (
    <Dialog title={t(group === null ? 'group.new' : 'group.edit')} onClose={onClose}>
      <Form onSubmit={save.run}>
        <TextInput
          label={t('group.name')}
          required
          maxLength={100}
          readOnly={group !== null}
          value={name}
          onInput={setName}
        />
        {group === null && names.includes(name.trim()) && <p class="detail">{t('group.replaces')}</p>}
        <TagInput label={t('group.students')} division={IDS} values={owners} onChange={setOwners} />
        <p class="detail">{t('group.students.about')}</p>
        <ErrorNotice error={save.error ?? remove.error} />
        <p class="actions">
          <button type="submit" class="primary" disabled={save.running || owners.length === 0 || name.trim() === ''}>
            {t('action.save')}
          </button>
          {/* Cancelling takes the place of deleting, so that a double click deletes nothing. */}
          {group !== null && (
            <button type="button" class={asking ? '' : 'danger'} onClick={() => setAsking(!asking)}>
              {t(asking ? 'action.cancel' : 'group.delete')}
            </button>
          )}
          {asking && (
            <button type="button" class="danger" disabled={remove.running} onClick={() => remove.run()}>
              {t('group.delete.sure', { name })}
            </button>
          )}
        </p>
      </Form>
    </Dialog>
  );
}
