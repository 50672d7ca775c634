import type { SearchReceipt } from '../search-result.js';
import type { TutorEvent, TutoringContext } from '../tutoring.js';
import type { Viewer } from '../viewer.js';

/** Called after each search for a context. */
export type OnSearch = (operation: 'hybridSearch' | 'byError', startedMs: number, receipt: SearchReceipt) => void;

/** Evidence for tutors, as the API asks for it. */
export interface ContextBuilder {
  /**
   * The evidence that the viewer's cards hold. `args` are those of the query `tutoringContext`, not parsed yet.
   * BadInputError, NotFoundError for a card that the viewer does not have, and the errors of a search.
   */
  context(viewer: Viewer, args: unknown, signal: AbortSignal, onSearch?: OnSearch): Promise<TutoringContext>;
}

/** Options of a tutor request beside the question. */
export interface TutorSignals {
  /** Aborts at the deadline of searches. */
  readonly searchSignal: AbortSignal;
  /** Aborts when the client has gone, or the time is over. */
  readonly signal: AbortSignal;
}

/** Answers of a chat model, from the viewer's cards alone. */
export interface Tutor {
  /** The answer as it comes. Throws what the context throws; what goes wrong after that is an event, the last one. */
  answer(viewer: Viewer, args: unknown, signals: TutorSignals, onSearch?: OnSearch): AsyncGenerator<TutorEvent, void>;
}
