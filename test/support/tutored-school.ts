/** A school whose gateway has a tutor with a scripted chat model. */
import { createClient } from 'graphql-sse';
import { callersOf } from './callers.js';
import { type ChatServer, startChatServer } from './chat-server.js';
import { type Gateway, startGateway } from './gateway.js';
import { createCard, indexed } from './notebook.js';
import { TOKEN_SETTINGS, tokenOf } from './tokens.js';

export const TUTOR = `subscription Tutor($input: TutorInput!) {
  tutor(input: $input) {
    __typename
    ... on TutorContextEvent { context { verdict prompt tokens sources { label id card { id } } } }
    ... on TutorDelta { text }
    ... on TutorCitation { source { label card { id questionText } } }
    ... on TutorDone { isWhole promptTokens answerTokens cited droppedCitations wasAskedAgain }
    ... on TutorRefused { refusal reason }
    ... on TutorFailed { code message }
  }
}`;

export interface Event {
  readonly __typename: string;
  readonly text?: string;
  readonly source?: { readonly label: string; readonly card: { readonly id: string } };
  readonly [field: string]: unknown;
}

const PEOPLE = { amy: { sub: 'amy' }, ben: { sub: 'ben' }, stranger: { sub: 'amy', tenant: 'south' } };
export type Person = keyof typeof PEOPLE;

export interface TutoredSchool {
  readonly chat: ChatServer;
  readonly gateway: Gateway;
  readonly tokens: Readonly<Record<Person, string>>;
  /** The events of one answer, by the client of the protocol. */
  ask(person: Person, input: object): Promise<readonly Event[]>;
  /** The request of a stream, by amy unless the headers say otherwise. */
  post(body: unknown, headers?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response>;
  close(): Promise<void>;
}

/** Amy and ben have two cards each about fractions; the stranger's school has one about history. */
export async function startTutoredSchool(): Promise<TutoredSchool> {
  const chat = await startChatServer();
  const env = { CHAT_BASE_URL: chat.url, CHAT_MODEL: 'scripted', CHAT_API_KEY: 'sk-secret', RATE_LIMIT: '0' };
  const gateway = await startGateway({ env: { ...TOKEN_SETTINGS, ...env } });
  const { tokens, as } = await callersOf(gateway, PEOPLE);
  for (const person of ['amy', 'ben'] as const) {
    const work = { studentSolutionText: `${person} got 4/12`, goldSolutionBrief: `${person}: 6/8 + 1/8 makes 7/8.` };
    const labels = { topicTags: ['fractions'], errorTypes: ['adds denominators'] };
    await createCard(as[person], { id: `${person}-1`, questionText: `${person} asks: 3/4 + 1/8`, ...work, ...labels });
    await createCard(as[person], { id: `${person}-2`, questionText: `${person} asks: 1/2 + 1/3`, ...labels });
  }
  await createCard(as.stranger, { id: 'stranger-1', questionText: '唐朝的首都在哪里' });
  await indexed(gateway.as(await tokenOf({ sub: 'tess', role: 'teacher' })));
  await indexed(as.stranger);
  const url = `${gateway.url}/stream`;
  return {
    chat,
    gateway,
    tokens,
    async ask(person, input) {
      const client = createClient({ url, headers: { authorization: `Bearer ${tokens[person]}` }, retryAttempts: 0 });
      const events: Event[] = [];
      for await (const { data, errors } of client.iterate<{ tutor: Event }>({ query: TUTOR, variables: { input } })) {
        if (data == null) throw new Error(JSON.stringify(errors));
        events.push(data.tutor);
      }
      client.dispose();
      return events;
    },
    post: (body, headers = {}, signal) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.amy}`, ...headers },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      }),
    async close() {
      await gateway.close();
      await chat.close();
    },
  };
}
