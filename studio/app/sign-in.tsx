import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApiError } from '../api/client.js';
import { Form } from '../ui/fields.js';
import { ErrorNotice } from '../ui/notices.js';
import { useWording } from './i18n.js';
import { type Settings, SettingsSwitches } from './settings-switches.js';

/** Error codes after which only another credential helps. */
const REFUSALS = new Set(['UNAUTHENTICATED', 'FORBIDDEN']);

/** For a gateway that asks who comes. No form is sent: the credential goes from the field into memory. */
export function SignIn({
  again,
  error,
  retry,
  onToken,
  ...settings
}: Settings & {
  /** The session has ended; its pages are kept for the same person. */
  again: boolean;
  error: ApiError | null;
  /** Tries the same credential again. */
  retry: () => void;
  onToken: (token: string) => void;
}) {
  const { t } = useWording();
  const [token, setToken] = useState('');
  const field = useRef<HTMLInputElement>(null);
  // Also after a credential was refused, when the form is shown anew.
  useEffect(() => field.current?.focus(), []);
  // The title may be a question or the heading of a paper of the person before.
  useLayoutEffect(() => {
    const { title } = document;
    document.title = 'Errata';
    return () => {
      if (again) document.title = title;
    };
  }, [again]);
  return (
    <main class="alone sign-in">
      <h1>
        <img src={document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href} alt="" width={36} height={36} />{' '}
        Errata
      </h1>
      <p>{t(again ? 'signIn.again' : 'signIn.about')}</p>
      <Form onSubmit={() => token.trim() !== '' && onToken(token.trim().replace(/^Bearer\s+/i, ''))}>
        <label for="credential">{t('signIn.credential')}</label>
        <input
          id="credential"
          ref={field}
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={token.trim() === ''}>
          {t('signIn.enter')}
        </button>
      </Form>
      <ErrorNotice error={error} {...(error !== null && !REFUSALS.has(error.code) && { retry })} />
      <p class="detail">{t('signIn.how')}</p>
      <pre class="code">npm run errata -- keys create --owner amy --role student</pre>
      <SettingsSwitches {...settings} />
    </main>
  );
}
