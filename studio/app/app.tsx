import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, asApiError, connect } from '../api/client.js';
import { Viewer } from '../generated/operations.js';
import { ErrorNotice, Loading } from '../ui/notices.js';
import { useWording, WordingContext, wordingOf } from './i18n.js';
import { useLanguage, useTheme } from './preferences.js';
import { forgetParams } from './router.js';
import { personOf, type Session, SessionContext } from './session.js';
import { Shell } from './shell.js';
import { SignIn } from './sign-in.js';

/** Who the gateway says that comes; until then nothing else is asked. */
type Arrival =
  | { readonly state: 'asking' }
  | { readonly state: 'known'; readonly token: string | null }
  | { readonly state: 'unknown'; readonly error: ApiError | null }
  | { readonly state: 'failed'; readonly error: ApiError };

export function App() {
  const [language, setLanguage] = useLanguage();
  const [theme, setTheme] = useTheme();
  const [token, setToken] = useState<string | null>(null);
  const [arrival, setArrival] = useState<Arrival>({ state: 'asking' });
  /** The last session that was accepted. It outlives its credential, so that unsaved work does too. */
  const [session, setSession] = useState<Session | null>(null);
  const lastPerson = useRef<string | null>(null);
  const [round, setRound] = useState(0);
  const wording = useMemo(() => wordingOf(language), [language]);

  const signOut = useCallback(() => {
    forgetParams();
    setToken(null);
    setSession(null);
    setArrival({ state: 'unknown', error: null });
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` connects again
  const api = useMemo(() => {
    /** A credential that was accepted is not any more: whoever signs in again sees why. */
    const expire = (): void => {
      const error = new ApiError('UNAUTHENTICATED', '');
      setArrival((before) =>
        before.state === 'known' && before.token === token ? { state: 'unknown', error } : before,
      );
    };
    return connect(token, expire);
  }, [token, round]);

  useEffect(() => {
    let gone = false;
    api.run(Viewer, {}).then(
      ({ viewer }) => {
        if (gone) return;
        const person = personOf(viewer);
        if (lastPerson.current !== null && lastPerson.current !== person) forgetParams();
        lastPerson.current = person;
        setSession({ api, viewer, token, signOut });
        setArrival({ state: 'known', token });
      },
      (thrown: unknown) => {
        if (gone) return;
        const error = asApiError(thrown);
        // Nobody has tried to sign in yet: that is no error.
        if (token === null && error.code === 'UNAUTHENTICATED') setArrival({ state: 'unknown', error: null });
        else if (token === null || error.code === 'OFFLINE') setArrival({ state: 'failed', error });
        // A gateway that answered may accept another credential.
        else setArrival({ state: 'unknown', error });
      },
    );
    return () => {
      gone = true;
    };
  }, [api, token, signOut]);

  const isKnown = arrival.state === 'known';
  const settings = { language, setLanguage, theme, setTheme };
  const retry = (): void => {
    setArrival({ state: 'asking' });
    setRound((count) => count + 1);
  };
  const entrance =
    arrival.state === 'unknown' ? (
      <SignIn
        {...settings}
        again={session !== null}
        error={arrival.error}
        retry={retry}
        onToken={(given) => {
          setToken(given);
          retry();
        }}
      />
    ) : (
      <main class="alone">
        {arrival.state === 'failed' ? <ErrorNotice error={arrival.error} retry={retry} /> : <Loading />}
      </main>
    );
  return (
    <WordingContext.Provider value={wording}>
      {session !== null && (
        <SessionContext.Provider value={session}>
          <div hidden={!isKnown}>
            <Shell key={personOf(session.viewer)} {...settings} />
          </div>
        </SessionContext.Provider>
      )}
      {!isKnown && (session === null ? entrance : <Cover>{entrance}</Cover>)}
    </WordingContext.Provider>
  );
}

/** Covers the hidden pages. A modal dialog, because a dialog of theirs may be open and would keep the focus. */
function Cover({ children }: { children: ComponentChildren }) {
  const { t } = useWording();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    // Escape closes any dialog.
    <dialog ref={dialog} class="cover" aria-label={t('signIn.enter')} onClose={() => dialog.current?.showModal()}>
      {children}
    </dialog>
  );
}
