import type { FastifyPluginAsync } from 'fastify';
import { within } from '../domain/async.js';
import { DeadlineExceededError } from '../domain/errors.js';
import type { ContextBuilder, OnSearch } from '../domain/ports/tutoring.js';
import { SEARCH_DEADLINE_MS } from '../domain/search.js';
import type { ContextSource, TutoringContext } from '../domain/tutoring.js';
import { callerOf, requireScope } from './guard.js';
import { noteSearch } from './log.js';
import { goneSignal } from './transfers.js';

/** Deadline of the whole, as of a request of /graphql: what follows the searches may take longer than they may. */
const ANSWER_MS = 10_000;

/** `POST /context`: as the GraphQL query `tutoringContext`, for clients that speak plain JSON. */
export function contextRoute(contexts: ContextBuilder): FastifyPluginAsync {
  return async (http) => {
    http.post('/context', { config: { searches: true } }, async (request, reply) => {
      const caller = callerOf(request);
      requireScope(caller, 'read');
      const onSearch: OnSearch = (...searched) => noteSearch(request.facts, ...searched);
      const whole = { ms: ANSWER_MS, late: lateAfter('gateway', ANSWER_MS), signal: goneSignal(reply) };
      return within(whole, async (signal) => {
        const searching = new AbortController();
        const late = lateAfter('search', SEARCH_DEADLINE_MS);
        const timer = setTimeout(() => searching.abort(late()), SEARCH_DEADLINE_MS);
        signal.addEventListener('abort', () => searching.abort(signal.reason), { once: true });
        try {
          return await shown(await contexts.context(caller, request.body, searching.signal, onSearch));
        } finally {
          clearTimeout(timer);
        }
      });
    });
  };
}

function lateAfter(part: ConstructorParameters<typeof DeadlineExceededError>[0], ms: number): () => Error {
  return () => new DeadlineExceededError(part, `no answer within ${ms} ms`);
}

/** A context as JSON: cards by their ids. */
async function shown({ sources, hypotheses, card, rules: _, material: __, ...rest }: TutoringContext): Promise<object> {
  const shownSource = async ({ card: { id, revision, source, occurredAt }, ...quoted }: ContextSource) => ({
    ...quoted,
    revealsAnswer: await quoted.revealsAnswer(),
    cardId: id,
    revision,
    origin: { source, occurredAt },
  });
  return {
    ...rest,
    cardId: card?.id ?? null,
    sources: await Promise.all(sources.map(shownSource)),
    hypotheses: hypotheses.map(({ cards, ...hypothesis }) => ({ ...hypothesis, cardIds: cards.map(({ id }) => id) })),
  };
}
