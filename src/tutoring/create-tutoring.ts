import type { ChatModel } from '../domain/ports/chat.js';
import { contextRoute } from '../http/context.js';
import { ContextService, type ContextServiceParts } from './context-service.js';
import { loadTokenCounter } from './tokens.js';
import { ChatTutor, type TutorParts } from './tutor.js';

export interface TutoringParts extends ContextServiceParts {
  readonly chat: ChatModel | null;
  readonly config: { readonly tutorLog: 'off' | 'texts' };
  readonly log: TutorParts['log'];
}

/** The services that the resolvers call, and the route `POST /context`. */
export function createTutoring(parts: TutoringParts) {
  const { chat, config, log } = parts;
  // The first answer would wait for it. One that fails is loaded again by that answer, which then says why.
  if (chat !== null) loadTokenCounter().catch(() => undefined);
  const tutoring = new ContextService(parts);
  const tutor = new ChatTutor({ contexts: tutoring, chat, keepsTexts: config.tutorLog === 'texts', log });
  return { tutoring, tutor, contextRoute: contextRoute(tutoring) };
}
