import { beforeAll, describe, expect, test } from 'vitest';
import { type Callers, callersOf } from '../support/callers.js';
import { type Api, sharedGateway } from '../support/gateway.js';
import { createCard, indexed } from '../support/notebook.js';

const QUESTION = 'Work out 3/4 + 1/8 and 1/2 + 1/3.';
const FIELDS = `verdict reason prompt tokens formattedExamples degraded { part }
  sources { label id relevance verdict text card { id } spans { type field start end } }
  hypotheses { errorType posterior votes cards { id } }`;
const QUERY = `query ($text: String, $cardId: ID, $mode: TutoringMode, $budgetTokens: Int, $options: SearchOptions) {
  tutoringContext(text: $text, cardId: $cardId, mode: $mode, budgetTokens: $budgetTokens, options: $options) { ${FIELDS} }
}`;

interface Context {
  readonly verdict: string;
  readonly prompt: string;
  readonly tokens: number;
  readonly sources: readonly {
    readonly label: string;
    readonly id: string;
    readonly relevance: number;
    readonly card: { id: string; ownerId: string };
  }[];
  readonly hypotheses: readonly { readonly errorType: string; readonly cards: readonly { id: string }[] }[];
}

const PEOPLE = {
  amy: { sub: 'amy' },
  ben: { sub: 'ben' },
  tess: { sub: 'tess', role: 'teacher' },
  stranger: { sub: 'amy', tenant: 'south' },
};
type Person = keyof typeof PEOPLE;

let gateway: Api;
let callers: Callers<Person>;

beforeAll(async () => {
  const shared = await sharedGateway();
  gateway = shared.gateway;
  callers = await callersOf(gateway, PEOPLE, shared.tokenOf);
  for (const person of ['amy', 'ben'] as const) {
    const work = { studentSolutionText: `${person} got 4/12`, goldSolutionBrief: `${person} needs 7/8` };
    const labels = { topicTags: ['fractions'], errorTypes: ['adds denominators'] };
    await createCard(as(person), { id: `${person}-1`, questionText: `${person}: 3/4 + 1/8`, ...work, ...labels });
    await createCard(as(person), { id: `${person}-2`, questionText: `${person}: 1/2 + 1/3`, ...labels });
  }
  await createCard(as('stranger'), { id: 'stranger-1', questionText: '唐朝的首都在哪里' });
  await indexed(as('tess'));
  await indexed(as('stranger'));
});

function as(person: Person): Api {
  return callers.as[person];
}

/** Cards of these tests begin with the names of their owners. */
function ownersOf(cards: readonly { readonly id: string }[]): ReadonlySet<string | undefined> {
  return new Set(cards.map(({ id }) => id.split('-')[0]));
}

async function ask(person: Person, variables: object): Promise<Context> {
  return (await as(person).must<{ tutoringContext: Context }>(QUERY, variables)).tutoringContext;
}

async function post(person: Person | null, body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(new URL('/context', gateway.url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(person !== null && { authorization: `Bearer ${callers.tokens[person]}` }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('tutoringContext', () => {
  test('returns evidence from cards that the viewer may see, and from no others', async () => {
    const own = await ask('amy', { text: QUESTION });
    expect(own.verdict).toBe('ENOUGH');
    expect(ownersOf(own.sources.map(({ card }) => card))).toEqual(new Set(['amy']));
    expect(ownersOf(own.hypotheses.flatMap(({ cards }) => cards))).toEqual(new Set(['amy']));
    expect(JSON.stringify(own)).not.toContain('ben');
    const all = await ask('tess', { text: QUESTION });
    expect(ownersOf(all.sources.map(({ card }) => card))).toEqual(new Set(['amy', 'ben']));
    expect(await ask('stranger', { text: QUESTION })).toMatchObject({ verdict: 'NONE', sources: [], hypotheses: [] });
  });

  test('about a card begins with the card, which does not exist for others', async () => {
    const { sources } = await ask('amy', { cardId: 'amy-1', mode: 'HINT_2' });
    expect(sources[0]).toMatchObject({ label: 'S1', card: { id: 'amy-1' }, relevance: 1, verdict: 'DUPLICATE' });
    for (const person of ['ben', 'stranger'] as const) {
      const { errors } = await as(person).gql(QUERY, { cardId: 'amy-1' });
      expect(errors).toMatchObject([{ message: 'no card with the id "amy-1"', extensions: { code: 'NOT_FOUND' } }]);
    }
  });

  test('about a card without error types infers its likely errors', async () => {
    await createCard(as('amy'), { id: 'amy-3', questionText: 'amy: 3/4 + 1/2', studentSolutionText: '4/6' }, true);
    const { hypotheses } = await ask('amy', { cardId: 'amy-3', mode: 'DIAGNOSE' });
    expect(hypotheses.map(({ errorType }) => errorType)).toEqual(['adds denominators']);
    await as('amy').gql('mutation { deleteCard(id: "amy-3", waitForIndex: true) }');
  });

  test.each([
    ['neither text nor card', {}, 'text'],
    ['both', { text: 'a', cardId: 'b' }, 'cardId'],
    ['a budget that is too small', { text: 'a', budgetTokens: 499 }, 'budgetTokens'],
    ['a budget that is too large', { text: 'a', budgetTokens: 16_001 }, 'budgetTokens'],
    ['an option that means nothing', { text: 'a', options: { minScore: 2 } }, 'options.minScore'],
  ])('refuses %s, naming the field', async (_name, variables, field) => {
    const { errors } = await as('amy').gql(QUERY, variables);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', field } }]);
  });

  test('keeps its budget', async () => {
    const { tokens: used } = await ask('tess', { text: QUESTION, budgetTokens: 500 });
    expect(used).toBeLessThanOrEqual(500);
  });

  test('applies the avoid option of searches', async () => {
    const text = `${QUESTION} adds denominators`;
    const relevances = async (options: object): Promise<ReadonlyMap<string, number>> => {
      const { sources } = await ask('tess', { text, options });
      return new Map(sources.map(({ id, relevance }) => [id, relevance]));
    };
    const [plain, avoiding] = [await relevances({}), await relevances({ avoid: { error: 1 } })];
    expect(avoiding.size).toBeGreaterThan(0);
    for (const [id, relevance] of avoiding) expect(relevance).toBeLessThan(plain.get(id) ?? 0);
  });
});

describe('POST /context', () => {
  test('returns the same as the query, with cards by id', async () => {
    const { prompt, tokens: used, sources } = await ask('amy', { text: QUESTION });
    const { status, body } = await post('amy', { text: QUESTION });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      prompt,
      tokens: used,
      language: 'en',
      sources: sources.map(({ label, id, card }) => ({
        label,
        id,
        cardId: card.id,
        revealsAnswer: expect.any(Boolean),
      })),
    });
    expect(JSON.stringify(body)).not.toContain('ownerId');
  });

  test('refuses the same as the query, and callers without a credential', async () => {
    expect(await post('amy', { text: 'a', mode: 'SHOUT' })).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'BAD_USER_INPUT', field: 'mode' } }] },
    });
    expect(await post('amy', { txt: 'a' })).toMatchObject({ body: { errors: [{ extensions: { field: 'txt' } }] } });
    expect(await post('amy', [])).toMatchObject({ status: 400 });
    expect(await post('ben', { cardId: 'amy-1' })).toMatchObject({ status: 404 });
    expect(await post(null, { text: QUESTION })).toMatchObject({ status: 401 });
    expect((await post('stranger', { text: QUESTION })).body).toMatchObject({ verdict: 'NONE', sources: [] });
  });
});
