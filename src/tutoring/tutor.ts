import { ErrataError, UnavailableError } from '../domain/errors.js';
import type { ChatEnd, ChatMessage, ChatModel } from '../domain/ports/chat.js';
import type { Log } from '../domain/ports/log.js';
import type { ContextBuilder, OnSearch, Tutor, TutorSignals } from '../domain/ports/tutoring.js';
import { inSteps } from '../domain/steps.js';
import { isHint, type TutorEvent, type TutoringContext } from '../domain/tutoring.js';
import type { Viewer } from '../domain/viewer.js';
import { CitationChecker } from './citations.js';
import { harmless } from './fence.js';
import { LeakGuard } from './leak-guard.js';
import { hasRefusal, isRefusal, mayBeRefusal, withoutMarker } from './refusal.js';
import { loadTokenCounter } from './tokens.js';
import { WORDS } from './words.js';

/** Of an answer; a hint is a few sentences. */
const MAX_TOKENS = { hint: 400, other: 1_200 } as const;

export interface TutorParts {
  readonly contexts: ContextBuilder;
  /** Null: none is configured. */
  readonly chat: ChatModel | null;
  readonly keepsTexts: boolean;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/**
 * Answers from the sources of a context: checks citations as they come, and holds hints back that give the answer away.
 */
export class ChatTutor implements Tutor {
  constructor(private readonly parts: TutorParts) {}

  async *answer(
    viewer: Viewer,
    args: unknown,
    { searchSignal, signal }: TutorSignals,
    onSearch?: OnSearch,
  ): AsyncGenerator<TutorEvent, void> {
    const { contexts, keepsTexts, log } = this.parts;
    const context = await contexts.context(viewer, args, searchSignal, onSearch);
    yield { kind: 'context', context };
    let said = '';
    try {
      for await (const event of this.#events(context, signal)) {
        if (event.kind === 'delta') said += event.text;
        yield event;
      }
    } catch (thrown) {
      const failure = signal.aborted ? signal.reason : thrown;
      if (failure instanceof ErrataError) yield { kind: 'failed', code: failure.code, message: failure.message };
      else if (!signal.aborted) yield this.#unexpected(failure);
    }
    if (keepsTexts) {
      const { tenantId, ownerId } = viewer;
      const { mode, verdict, material } = context;
      log.info({ part: 'tutor', tenantId, ownerId, mode, verdict, material, said }, 'a tutor answered');
    }
  }

  #unexpected(failure: unknown): TutorEvent {
    const errorId = crypto.randomUUID();
    this.parts.log.error({ err: failure, errorId }, 'an answer of the tutor failed with an internal error');
    return { kind: 'failed', code: 'INTERNAL', message: `internal error ${errorId}` };
  }

  async *#events(context: TutoringContext, signal: AbortSignal): AsyncGenerator<TutorEvent, void> {
    const { verdict, sources, reason, mode } = context;
    if (verdict === 'NONE' || sources.length === 0) {
      yield { kind: 'refused', refusal: 'NO_EVIDENCE', reason };
      return;
    }
    const { chat } = this.parts;
    if (chat === null)
      throw new UnavailableError('chat', 'no endpoint is configured: set CHAT_BASE_URL and CHAT_MODEL');
    yield* isHint(mode) ? this.#hint(chat, context, signal) : this.#plain(chat, context, signal);
  }

  /** An answer that may say everything is passed on as it comes. */
  async *#plain(chat: ChatModel, context: TutoringContext, signal: AbortSignal): AsyncGenerator<TutorEvent, void> {
    const answer = new Answer(context);
    const pieces = chat.stream({ messages: messagesOf(context), maxTokens: MAX_TOKENS.other }, signal);
    let head = '';
    let begun = false;
    try {
      for (;;) {
        const next = await pieces.next();
        if (next.done) {
          if (isRefusal(head)) yield await refused(head, context);
          else {
            if (!begun) yield* answer.push(head);
            yield* answer.end(next.value, false);
          }
          return;
        }
        // A refusal is gathered whole; anything else goes on its way as soon as it is none.
        if (begun) yield* answer.push(next.value);
        else {
          head += next.value;
          begun = !isRefusal(head) && !mayBeRefusal(head);
          if (begun) yield* answer.push(head);
        }
      }
    } finally {
      // Whoever stops listening ends the answer of the endpoint too.
      await pieces.return('STOP');
    }
  }

  /** A hint is passed on when all of it is there and gives nothing away; the model has a second try. */
  async *#hint(chat: ChatModel, context: TutoringContext, signal: AbortSignal): AsyncGenerator<TutorEvent, void> {
    const guard = await inSteps(LeakGuard.steps(context));
    let messages = messagesOf(context);
    for (const isLast of [false, true]) {
      const { text, end } = await whole(chat, messages, signal);
      if (hasRefusal(text)) {
        yield await refused(text, context, guard);
        return;
      }
      const leak = await inSteps(guard.leakSteps(text));
      if (leak === null) {
        const answer = new Answer(context);
        for (const part of text.match(/[^。！？.!?\n]*[。！？.!?\n]+|[^。！？.!?\n]+$/g) ?? [])
          yield* answer.push(part);
        yield* answer.end(end, isLast);
        return;
      }
      const { leaked } = WORDS[context.language];
      messages = [...messages, { role: 'assistant', content: text }, { role: 'user', content: leaked(harmless(leak)) }];
    }
    yield { kind: 'refused', refusal: 'LEAK', reason: WORDS[context.language].leakedTwice };
  }
}

/** The rules are the system's; the cards and the question are a user's, and so is whatever they ask for. */
function messagesOf({ rules, material }: TutoringContext): readonly ChatMessage[] {
  return [
    { role: 'system', content: rules },
    { role: 'user', content: material },
  ];
}

/** With the model's reason, unless it has none or it gives the answer away. */
async function refused(text: string, { language }: TutoringContext, guard?: LeakGuard): Promise<TutorEvent> {
  const { leakedReason, noReason } = WORDS[language];
  const reason = reasonOf(text);
  const isLeak = guard !== undefined && (await inSteps(guard.leakSteps(reason))) !== null;
  return { kind: 'refused', refusal: 'INSUFFICIENT', reason: isLeak ? leakedReason : reason || noReason };
}

/** The model's words besides the marker. It cites nothing: there is nothing to cite. */
function reasonOf(text: string): string {
  const citations = new CitationChecker([]);
  const pieces = [...citations.push(withoutMarker(text)), ...citations.end()];
  return pieces
    .map((piece) => (piece.kind === 'text' ? piece.text : ''))
    .join('')
    .trim();
}

async function whole(
  chat: ChatModel,
  messages: readonly ChatMessage[],
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly end: ChatEnd }> {
  const pieces = chat.stream({ messages, maxTokens: MAX_TOKENS.hint }, signal);
  let text = '';
  for (;;) {
    const next = await pieces.next();
    if (next.done) return { text, end: next.value };
    text += next.value;
  }
}

/** An answer under way: its text with the citations that hold. */
class Answer {
  readonly #citations: CitationChecker;
  readonly #cited = new Set<string>();
  #text = '';

  constructor(private readonly context: TutoringContext) {
    this.#citations = new CitationChecker(context.sources.map(({ label }) => label));
  }

  *push(text: string): Generator<TutorEvent, void> {
    yield* this.#shown(this.#citations.push(text));
  }

  /** Flushes the buffered text, then sends the summary. Throws an {@link UnavailableError} if there is no text. */
  async *end(end: ChatEnd, wasAskedAgain: boolean): AsyncGenerator<TutorEvent, void> {
    yield* this.#shown(this.#citations.end());
    if (this.#text.trim() === '') throw new UnavailableError('chat', 'the model wrote no answer');
    const count = await loadTokenCounter();
    yield {
      kind: 'done',
      isWhole: end === 'STOP',
      promptTokens: this.context.tokens,
      answerTokens: count(this.#text),
      cited: [...this.#cited],
      droppedCitations: this.#citations.dropped,
      wasAskedAgain,
    };
  }

  *#shown(pieces: ReturnType<CitationChecker['push']>): Generator<TutorEvent, void> {
    for (const piece of pieces) {
      if (piece.kind === 'text') {
        this.#text += piece.text;
        yield { kind: 'delta', text: piece.text };
        continue;
      }
      const source = this.context.sources.find(({ label }) => label === piece.label);
      if (source === undefined) continue;
      this.#cited.add(piece.label);
      yield { kind: 'citation', source };
    }
  }
}
