import { EventSourceParserStream } from 'eventsource-parser/stream';
import { COMMAND_OPERATIONS } from '../access/command-operations.js';
import type { Card } from '../domain/card.js';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import type { ContextSource, Refusal, SOURCE_TEXT_FIELDS } from '../domain/tutoring.js';
import { type Answer, answered, closedBefore, type GatewayClient } from './gateway-client.js';

interface StreamedSource extends Pick<ContextSource, 'label' | 'text' | 'verdict'> {
  readonly card: Pick<Card, 'id' | (typeof SOURCE_TEXT_FIELDS)[number]>;
}

type StreamedEvent =
  | {
      readonly __typename: 'TutorContextEvent';
      readonly context: {
        readonly tokens: number;
        readonly question: string;
        readonly sources: readonly StreamedSource[];
      };
    }
  | { readonly __typename: 'TutorDelta'; readonly text: string }
  | { readonly __typename: 'TutorCitation' }
  | { readonly __typename: 'TutorDone'; readonly answerTokens: number; readonly wasAskedAgain: boolean }
  | { readonly __typename: 'TutorRefused'; readonly refusal: Refusal }
  | { readonly __typename: 'TutorFailed'; readonly errorCode: string; readonly message: string };

type Next = Answer<{ readonly tutor: StreamedEvent }>;

/**
 * The events of one answer. StartupError (69) if the connection breaks; AnsweredError if the gateway refuses the
 * question.
 */
export async function* streamTutor(
  client: GatewayClient,
  input: object,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvent, void> {
  const response = await client.post('graphql/stream', {
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: COMMAND_OPERATIONS.tutor, variables: { input } }),
    signal,
  });
  const events = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  try {
    for await (const { event, data } of events ?? []) {
      if (event !== 'next') continue;
      const next = answered(JSON.parse(data) as Next).data;
      if (next == null) throw new StartupError('the gateway sent no event', EXIT.failed);
      yield next.tutor;
    }
  } catch (thrown) {
    closedBefore('its answer was complete')(thrown);
  }
}
