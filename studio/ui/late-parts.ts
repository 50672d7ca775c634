import { createContext } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Changes when the parts of the page that are loaded late, and could not be, may be loaded again. */
export const PartsRound = createContext(0);

/**
 * Whether a part of the page that is loaded late could not be, and the value of {@link PartsRound}: parts are loaded
 * again when the device is connected to a network again. A gateway that was updated since has other files.
 */
export function useMissingPart(): readonly [isMissing: boolean, round: number] {
  const [isMissing, setMissing] = useState(false);
  const [round, setRound] = useState(0);
  const failed = useRef(new Set<HTMLLinkElement>());
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const noteStyles = ({ target }: Event): void => {
      if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return;
      failed.current.add(target);
      setMissing(true);
    };
    addEventListener('error', noteStyles, { capture: true, signal });
    addEventListener('vite:preloadError', () => setMissing(true), { signal });
    return () => stop.abort();
  }, []);
  useEffect(() => {
    if (!isMissing) return;
    const loadAgain = (): void => {
      // Vite inserts each style sheet once, even if it could not be loaded.
      for (const link of failed.current) link.replaceWith(link.cloneNode());
      failed.current.clear();
      setMissing(false);
      setRound((count) => count + 1);
    };
    addEventListener('online', loadAgain);
    return () => removeEventListener('online', loadAgain);
  }, [isMissing]);
  return [isMissing, round];
}
