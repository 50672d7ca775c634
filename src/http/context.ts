import type { FastifyPluginAsync } from 'fastify';
import { abortable } from '../domain/async.js';
import type { ContextBuilder, OnSearch } from '../domain/ports/tutoring.js';
import type { ContextSource, TutoringContext } from '../domain/tutoring.js';
import { deadlinesOf } from './deadlines.js';
import { callerOf, requireScope } from './guard.js';
import { noteSearch } from './log.js';

/** `POST /context`: as the GraphQL query `tutoringContext`, for clients that speak plain JSON. */
export function contextRoute(contexts: ContextBuilder): FastifyPluginAsync {
  return async (http) => {
    http.post('/context', { config: { searches: true } }, async (request, reply) => {
      const caller = callerOf(request);
      requireScope(caller, 'read');
      const onSearch: OnSearch = (...searched) => noteSearch(request.facts, ...searched);
      const { signal, searchSignal } = deadlinesOf(reply);
      return abortable(contexts.context(caller, request.body, searchSignal, onSearch).then(shown), signal);
    });
  };
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
