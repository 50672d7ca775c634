import type { FastifyPluginAsync } from 'fastify';
import { within } from '../domain/async.js';
import { DeadlineExceededError } from '../domain/errors.js';
import type { ContextBuilder, OnSearch } from '../domain/ports/tutoring.js';
import { SEARCH_DEADLINE_MS } from '../domain/search.js';
import type { ContextSource, TutoringContext } from '../domain/tutoring.js';
import { callerOf, requireScope } from './guard.js';
import { noteSearch } from './log.js';
import { goneSignal } from './transfers.js';

/** `POST /context`: as the GraphQL query `tutoringContext`, for clients that speak plain JSON. */
export function contextRoute(contexts: ContextBuilder): FastifyPluginAsync {
  return async (http) => {
    http.post('/context', { config: { searches: true } }, async (request, reply) => {
      const caller = callerOf(request);
      requireScope(caller, 'read');
      const late = (): Error => new DeadlineExceededError('search', `no answer within ${SEARCH_DEADLINE_MS} ms`);
      return within({ ms: SEARCH_DEADLINE_MS, late, signal: goneSignal(reply) }, async (signal) => {
        const onSearch: OnSearch = (...searched) => noteSearch(request.facts, ...searched);
        return shown(await contexts.context(caller, request.body, signal, onSearch));
      });
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
