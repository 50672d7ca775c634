import { useState } from 'preact/hooks';
import { useAction, useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { useRights } from '../app/session.js';
import { ApiKeys, type ApiKeysResult, CreateApiKey, RevokeApiKey, type Role } from '../generated/operations.js';
import { DataTable } from '../ui/data-table.js';
import { Dialog } from '../ui/dialog.js';
import { Form, Select, TextInput } from '../ui/fields.js';
import { Empty, ErrorNotice } from '../ui/notices.js';

type Key = ApiKeysResult['apiKeys'][number];

const ROLES: readonly Role[] = ['STUDENT', 'TEACHER', 'ADMIN'];

/** As many as the gateway lists. */
const MAX_KEYS = 100;
/** While an owner is typed, it is not asked for its beginnings. */
const DEBOUNCE_MS = 300;

/** The API keys of the school. A new one is shown once, for it is not stored. */
export function Keys() {
  const { t } = useWording();
  const rights = useRights();
  const [owner, setOwner] = useState('');
  const asked = { first: MAX_KEYS, owner: owner.trim() || null };
  const { data, error, reload } = useQuery(ApiKeys, asked, { debounceMs: DEBOUNCE_MS });
  const [revoking, setRevoking] = useState<Key | null>(null);
  const revoke = useAction(async (api, id: string) => {
    await api.run(RevokeApiKey, { id });
    setRevoking(null);
    reload();
  });
  const keys = data?.apiKeys ?? [];
  return (
    <section class="box" aria-label={t('keys.title')}>
      <h2>{t('keys.title')}</h2>
      {rights.write && <NewKey onMade={reload} />}
      <div class="actions">
        <TextInput label={t('keys.only')} type="search" maxLength={200} value={owner} onInput={setOwner} />
      </div>
      <ErrorNotice error={error} retry={reload} />
      {keys.length === MAX_KEYS && (
        <p class="detail">{t(asked.owner === null ? 'keys.newest' : 'keys.newestOfOwner', { count: MAX_KEYS })}</p>
      )}
      {data !== null && keys.length === 0 && <Empty title={t('keys.none')} />}
      {keys.length > 0 && (
        <DataTable
          label={t('keys.title')}
          rows={keys}
          keyOf={({ id }) => id}
          columns={[
            {
              name: t('keys.owner'),
              cell: ({ ownerId, id }) => (
                <>
                  {ownerId} <code class="detail">{id}</code>
                </>
              ),
            },
            { name: t('keys.role'), cell: ({ role }) => t(`role.${role}`) },
            { name: t('keys.name'), cell: ({ name }) => name },
            {
              name: t('keys.used'),
              cell: ({ lastUsedAt }) => <Day at={lastUsedAt} never={t('keys.never')} />,
            },
            {
              name: t('keys.expires'),
              cell: ({ expiresAt }) => <Day at={expiresAt} never={t('keys.neverExpires')} />,
            },
            {
              name: null,
              cell: (key) =>
                key.revokedAt !== null ? (
                  <span class="badge">{t('keys.revoked')}</span>
                ) : (
                  rights.write && (
                    <button
                      type="button"
                      class="danger"
                      onClick={() => {
                        revoke.clear();
                        setRevoking(key);
                      }}
                    >
                      {t('keys.revoke')}
                    </button>
                  )
                ),
            },
          ]}
        />
      )}
      {revoking !== null && (
        <Dialog title={t('keys.revoke')} onClose={() => setRevoking(null)}>
          <p>{t('keys.revoke.sure', { owner: revoking.ownerId, id: revoking.id })}</p>
          <ErrorNotice error={revoke.error} />
          <button type="button" class="danger" disabled={revoke.running} onClick={() => revoke.run(revoking.id)}>
            {t('keys.revoke')}
          </button>
        </Dialog>
      )}
    </section>
  );
}

/** A date is not broken, however narrow its column is. */
function Day({ at, never }: { at: string | null; never: string }) {
  const { date } = useWording();
  return at === null ? never : <time dateTime={at}>{date(at)}</time>;
}

function NewKey({ onMade }: { onMade: () => void }) {
  const { t } = useWording();
  const [ownerId, setOwner] = useState('');
  const [role, setRole] = useState<Role>('STUDENT');
  const [name, setName] = useState('');
  const [text, setText] = useState<string | null>(null);
  const make = useAction(async (api) => {
    const input = { ownerId: ownerId.trim(), role, ...(name.trim() !== '' && { name: name.trim() }) };
    const { createApiKey } = await api.run(CreateApiKey, { input });
    setText(createApiKey.text);
    setOwner('');
    onMade();
  });
  return (
    <Form class="actions evaluate" onSubmit={make.run}>
      <TextInput label={t('keys.owner')} required maxLength={200} value={ownerId} onInput={setOwner} />
      <Select
        label={t('keys.role')}
        value={role}
        values={ROLES}
        nameOf={(one) => t(`role.${one}`)}
        onChange={setRole}
      />
      <TextInput label={t('keys.name')} maxLength={100} value={name} onInput={setName} />
      <button type="submit" class="primary" disabled={make.running || ownerId.trim() === ''}>
        {t('keys.make')}
      </button>
      <ErrorNotice error={make.error} />
      {text !== null && (
        <div class="notice notice-good" role="status">
          <p>{t('keys.once')}</p>
          <pre class="code">{text}</pre>
        </div>
      )}
    </Form>
  );
}
