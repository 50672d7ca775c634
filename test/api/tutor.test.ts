import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerEvents, type ChatServer, packetsOf, streamed } from '../support/chat-server.js';
import type { Gateway } from '../support/gateway.js';
import { type Event, startTutoredSchool, type TutoredSchool } from '../support/tutored-school.js';

let school: TutoredSchool;
let chat: ChatServer;
let gateway: Gateway;
beforeAll(async () => {
  school = await startTutoredSchool();
  ({ chat, gateway } = school);
});
afterAll(() => school.close());

function textOf(events: readonly Event[]): string {
  return events.map(({ text }) => text ?? '').join('');
}

function namesOf(events: readonly Event[]): readonly string[] {
  const names = events.map(({ __typename }) => __typename.replace('Tutor', ''));
  return names.filter((name, place) => name !== names[place - 1]);
}

describe('an answer', () => {
  test('is streamed as context, text, a citation with its card for each valid label, and a summary', async () => {
    chat.script(
      streamed(['You added the ', 'denominators [S', '1', '], see [S1, S2', '] and [S9]. 通', '分 first [S1].'], 3),
    );
    const events = await school.ask('amy', { text: '3/4 + 1/8' });
    expect(namesOf(events)).toEqual([
      'ContextEvent',
      'Delta',
      'Citation',
      'Delta',
      'Citation',
      'Delta',
      'Citation',
      'Delta',
      'Citation',
      'Delta',
      'Done',
    ]);
    expect(textOf(events)).toBe('You added the denominators [S1], see [S1][S2] and . 通分 first [S1].');
    expect(events.flatMap(({ source }) => source?.label ?? [])).toEqual(['S1', 'S1', 'S2', 'S1']);
    expect(events.find(({ source }) => source)?.source?.card.id).toMatch(/^amy-/);
    expect(events.at(-1)).toMatchObject({
      isWhole: true,
      cited: ['S1', 'S2'],
      droppedCitations: 1,
      wasAskedAgain: false,
    });
    const [request] = chat.requests;
    expect(request).toMatchObject({ model: 'scripted', stream: true, authorization: 'Bearer sk-secret' });
    const context = events[0]?.context as { prompt: string };
    expect(request?.messages.map(({ content }) => content).join('\n\n')).toBe(context.prompt);
    expect(request?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(request?.messages[0]?.content).not.toContain('amy');
  });

  test('is refused without asking the model if there is no evidence', async () => {
    chat.script();
    const events = await school.ask('stranger', { text: '3/4 + 1/8' });
    expect(namesOf(events)).toEqual(['ContextEvent', 'Refused']);
    expect(events[1]).toMatchObject({ refusal: 'NO_EVIDENCE' });
    expect(chat.requests).toEqual([]);
  });

  test('is a refusal if the model says that the sources are not sufficient', async () => {
    chat.script(streamed(['[REF', 'USE] The sources do not say ', 'what a fraction is [S7].'], 5));
    const events = await school.ask('amy', { text: '3/4 + 1/8' });
    expect(namesOf(events)).toEqual(['ContextEvent', 'Refused']);
    expect(events[1]).toMatchObject({ refusal: 'INSUFFICIENT', reason: 'The sources do not say what a fraction is .' });
  });

  test('ends with an error event if the endpoint fails, before the first token or later', async () => {
    chat.script({ kind: 'refuse', status: 401, body: 'no such key sk-secret' });
    const refused = await school.ask('amy', { text: '3/4 + 1/8' });
    expect(namesOf(refused)).toEqual(['ContextEvent', 'Failed']);
    expect(refused[1]).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('***') });
    chat.script({ kind: 'cut', packets: packetsOf(answerEvents(['Look ', 'again'], null), 20) });
    const cut = await school.ask('amy', { text: '3/4 + 1/8' });
    expect(namesOf(cut)).toEqual(['ContextEvent', 'Delta', 'Failed']);
    expect(textOf(cut)).toBe('Look again');
  });
});

describe('a hint', () => {
  const input = { cardId: 'amy-1', mode: 'HINT_2' };

  test('that reveals the answer is withheld, and the model is asked once more with the leak named', async () => {
    chat.script(
      streamed(['Make the denominators equal: ', 'the answer is $\\frac', '{7}{8}$.'], 9),
      streamed(['What is 1/4 in eighths [S1]?']),
    );
    const events = await school.ask('amy', input);
    expect(textOf(events)).toBe('What is 1/4 in eighths [S1]?');
    expect(JSON.stringify(events.slice(1))).not.toMatch(/frac|7\/8/);
    expect(events.at(-1)).toMatchObject({ __typename: 'TutorDone', wasAskedAgain: true });
    expect(chat.requests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(chat.requests[1]?.messages[3]?.content).toContain('7/8');
  });

  test('that reveals it twice is refused', async () => {
    chat.script(streamed(['It is 7/8.']), streamed(['It is 0.875.']));
    const events = await school.ask('amy', input);
    expect(namesOf(events)).toEqual(['ContextEvent', 'Refused']);
    expect(events[1]).toMatchObject({ refusal: 'LEAK' });
    expect(JSON.stringify(events.slice(1))).not.toMatch(/7\/8|0\.875/);
  });

  test('may contain what the student knows; EXPLAIN may contain the answer', async () => {
    chat.script(streamed(['You have 3/4 and 1/8 and got 4/12. Look at the denominators.']));
    expect(namesOf(await school.ask('amy', input))).toEqual(['ContextEvent', 'Delta', 'Done']);
    chat.script(streamed(['It is 7/8 [S1].']));
    expect(textOf(await school.ask('amy', { cardId: 'amy-1', mode: 'EXPLAIN' }))).toBe('It is 7/8 [S1].');
  });
});

describe('the prompt', () => {
  test("contains the viewer's cards only", async () => {
    for (const person of ['amy', 'ben'] as const) {
      chat.script(streamed(['ok']));
      await school.ask(person, { text: '3/4 + 1/8 fractions adds denominators' });
      const other = person === 'amy' ? 'ben' : 'amy';
      expect(JSON.stringify(chat.requests)).toContain(`${person} asks`);
      expect(JSON.stringify(chat.requests)).not.toContain(other);
    }
    chat.script(streamed(['ok']));
    await expect(school.ask('ben', { cardId: 'amy-1' })).rejects.toThrow(/NOT_FOUND/);
    expect(chat.requests).toEqual([]);
  });

  test('is not written to the log', () => {
    expect(gateway.output()).not.toMatch(/asks:|denominators|sk-secret/);
  });
});
