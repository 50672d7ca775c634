export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
}

/** How an answer ended: by itself, because it was as long as it might be, or cut off by a filter of the endpoint. */
export type ChatEnd = 'STOP' | 'LENGTH' | 'FILTERED';

export interface ChatModel {
  readonly name: string;
  /**
   * The answer, piece by piece; returns how it ended. Ends within a second of an abort. UnavailableError (`chat`) if
   * the endpoint is unavailable, breaks off, or takes too long; RateLimitedError if too many answers are under way.
   */
  stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<string, ChatEnd, undefined>;
}
