import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Wording, wordingOf } from './wording.js';

export { keyOf, type Language, type MessageKey, namedValues, type Wording, wordingOf } from './wording.js';

export const WordingContext = createContext<Wording>(wordingOf('en'));

export function useWording(): Wording {
  return useContext(WordingContext);
}
