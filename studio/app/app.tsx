import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { ApiError, asApiError, connect } from '../api/client.js';
import { Viewer } from '../generated/operations.js';
import { ErrorNotice, Loading } from '../ui/notices.js';
import { WordingContext, wordingOf } from './i18n.js';
import { useLanguage, useTheme } from './preferences.js';
import { SessionContext, type ViewerFacts } from './session.js';
import { Shell } from './shell.js';
import { SignIn } from './sign-in.js';

/** Who the gateway says that comes; until then nothing else is asked. */
type Arrival =
  | { readonly state: 'asking' }
  | { readonly state: 'known'; readonly viewer: ViewerFacts }
  | { readonly state: 'unknown'; readonly error: ApiError | null }
  | { readonly state: 'failed'; readonly error: ApiError };

export function App() {
  const [language, setLanguage] = useLanguage();
  const [theme, setTheme] = useTheme();
  const [token, setToken] = useState<string | null>(null);
  const [arrival, setArrival] = useState<Arrival>({ state: 'asking' });
  const [round, setRound] = useState(0);
  const wording = useMemo(() => wordingOf(language), [language]);

  const signOut = useCallback(() => {
    setToken(null);
    setArrival({ state: 'unknown', error: null });
  }, []);
  /** A credential that was accepted is not any more: whoever signs in again sees why. */
  const expire = useCallback(() => {
    const error = new ApiError('UNAUTHENTICATED', '');
    setArrival((before) => (before.state === 'known' ? { state: 'unknown', error } : before));
  }, []);
  const api = useMemo(() => connect(token, expire), [token, expire]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks again
  useEffect(() => {
    let gone = false;
    api.run(Viewer, {}).then(
      ({ viewer }) => {
        if (!gone) setArrival({ state: 'known', viewer });
      },
      (thrown: unknown) => {
        if (gone) return;
        const error = asApiError(thrown);
        if (error.code !== 'UNAUTHENTICATED') setArrival({ state: 'failed', error });
        // Nobody has tried to sign in yet: that is no error.
        else setArrival({ state: 'unknown', error: token === null ? null : error });
      },
    );
    return () => {
      gone = true;
    };
  }, [api, round]);

  const session = useMemo(
    () => (arrival.state === 'known' ? { api, viewer: arrival.viewer, token, signOut } : null),
    [api, arrival, token, signOut],
  );
  const settings = { language, setLanguage, theme, setTheme };
  return (
    <WordingContext.Provider value={wording}>
      {session !== null ? (
        <SessionContext.Provider value={session}>
          <Shell {...settings} />
        </SessionContext.Provider>
      ) : arrival.state === 'unknown' ? (
        <SignIn
          {...settings}
          error={arrival.error}
          onToken={(given) => {
            setArrival({ state: 'asking' });
            setToken(given);
            setRound((count) => count + 1);
          }}
        />
      ) : (
        <main class="alone">
          {arrival.state === 'failed' ? (
            <ErrorNotice
              error={arrival.error}
              retry={() => {
                setArrival({ state: 'asking' });
                setRound((count) => count + 1);
              }}
            />
          ) : (
            <Loading />
          )}
        </main>
      )}
    </WordingContext.Provider>
  );
}
