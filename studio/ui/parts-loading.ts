import { createContext } from 'preact';

/** Called with 1 when a picture or formula below begins to load, and with -1 when it has loaded, failed or gone. */
export const PartsLoading = createContext<(change: 1 | -1) => void>(() => undefined);
