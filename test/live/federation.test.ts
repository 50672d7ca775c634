import { graphql, buildSchema as schemaOf } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiSchema } from '../../resolvers/schema.js';
import { FederatedGateway } from '../support/federated.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { createCard } from '../support/notebook.js';
import { TOKEN_SETTINGS, tokenOf } from '../support/tokens.js';

/**
 * Another subgraph: lesson plans that refer to cards and labels, whoever may see them. So the references may be null.
 */
const PLANS = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@shareable"])
type Query { plans: [Plan!]! }
type Plan { title: String!  topic: Label  card: MistakeCard }
type MistakeCard @key(fields: "id") { id: ID!  plans: Int! }
type Label @key(fields: "kind name") { kind: LabelKind!  name: String! }
enum LabelKind { ERROR_TYPE TOPIC_TAG }`;

const plans = schemaOf(PLANS.replace(/^extend schema.*$/m, '').replaceAll(/@key\(fields: "[^"]*"\)/g, ''));
const topic = { __typename: 'Label', kind: 'TOPIC_TAG', name: 'fractions' };
const planOf = (id: string) => ({ title: `plan of ${id}`, topic, card: { __typename: 'MistakeCard', id, plans: 1 } });

let gateway: Gateway;
const as = {} as Record<'amy' | 'ben' | 'tess' | 'stranger', Gateway>;
beforeAll(async () => {
  gateway = await startGateway({ env: { ...TOKEN_SETTINGS, FEDERATION: 'true' } });
  as.amy = gateway.as(await tokenOf({ sub: 'amy' }));
  as.ben = gateway.as(await tokenOf({ sub: 'ben' }));
  as.tess = gateway.as(await tokenOf({ sub: 'tess', role: 'teacher' }));
  as.stranger = gateway.as(await tokenOf({ sub: 'amy', tenant: 'south' }));
  for (const id of ['a1', 'a2']) {
    await createCard(as.amy, { id, questionText: `question of ${id}`, topicTags: ['fractions'], errorTypes: ['slip'] });
  }
});
afterAll(() => gateway.close());

const ENTITIES = `query ($representations: [_Any!]!) { _entities(representations: $representations) {
  __typename ... on MistakeCard { id questionText index { state } } ... on Label { kind name cardCount }
} }`;

const entities = (of: Gateway, representations: unknown) =>
  of.gql<{ _entities: ({ readonly __typename: string } | null)[] }>(ENTITIES, { representations });

const cardKey = (id: string) => ({ __typename: 'MistakeCard', id });
const labelKey = (name: string, kind = 'TOPIC_TAG') => ({ __typename: 'Label', kind, name });

async function federated(person: Gateway): Promise<FederatedGateway> {
  const { data } = await person.gql<{ _service: { sdl: string } }>('{ _service { sdl } }');
  const sdl = data?._service.sdl ?? '';
  return new FederatedGateway({
    errata: { sdl, ask: async (query, variables) => nullless(await person.gql(query, variables)) },
    plans: {
      sdl: PLANS,
      ask: async (source) => graphql({ schema: plans, source, rootValue: { plans: ['a1', 'gone', 'a2'].map(planOf) } }),
    },
  });
}

const nullless = ({ data, errors }: { data: unknown; errors: readonly { message: string }[] | undefined }) => ({
  data: data ?? {},
  errors,
});

describe('a federated gateway', () => {
  const QUERY = '{ plans { title topic { name cardCount } card { id plans questionText } } }';

  test('composes the subgraph, and asks it for the cards and labels that another subgraph names', async () => {
    const composed = await federated(as.amy);
    const { data, errors } = await composed.ask(QUERY);
    expect(errors).toEqual([]);
    expect(data?.plans).toEqual(
      ['a1', 'gone', 'a2'].map((id) => ({
        title: `plan of ${id}`,
        topic: { name: 'fractions', cardCount: 2 },
        card: id === 'gone' ? null : { id, plans: 1, questionText: `question of ${id}` },
      })),
    );
    expect(composed.sent.filter(({ subgraph }) => subgraph === 'errata').length).toBeGreaterThan(0);
    expect((await composed.ask('{ cards(first: 1) { nodes { id } pageInfo { hasNextPage } } }')).data).toEqual({
      cards: { nodes: [{ id: 'a2' }], pageInfo: { hasNextPage: true } },
    });
  });

  test.each(['ben', 'stranger'] as const)(
    'shows %s nothing of cards and labels that are not theirs',
    async (person) => {
      const { data, errors } = await (await federated(as[person])).ask(QUERY);
      expect(errors).toEqual([]);
      const hidden = { topic: null, card: null };
      expect(data?.plans).toEqual(['a1', 'gone', 'a2'].map((id) => ({ title: `plan of ${id}`, ...hidden })));
    },
  );
});

describe('_entities', () => {
  test('answers each key in its place: of each viewer what they may see, else null', async () => {
    const keys = [cardKey('a2'), labelKey('fractions'), cardKey('nobody'), cardKey('a1'), labelKey(' Fractions')];
    const card = (id: string) => ({
      __typename: 'MistakeCard',
      id,
      questionText: `question of ${id}`,
      index: { state: expect.any(String) },
    });
    const label = { __typename: 'Label', kind: 'TOPIC_TAG', name: 'fractions', cardCount: 2 };
    const seen = [card('a2'), label, null, card('a1'), label];
    expect((await entities(as.amy, keys)).data?._entities).toEqual(seen);
    expect((await entities(as.tess, keys)).data?._entities).toEqual(seen);
    for (const person of ['ben', 'stranger'] as const) {
      expect((await entities(as[person], keys)).data?._entities).toEqual(keys.map(() => null));
    }
    expect((await entities(as.amy, [labelKey('fractions', 'ERROR_TYPE')])).data?._entities).toEqual([null]);
  });

  test.each([
    ['representations', []],
    ['representations', Array.from({ length: 101 }, () => cardKey('a1'))],
    ['representations[0].id', [{ __typename: 'MistakeCard' }]],
    ['representations[0].kind', [labelKey('fractions', 'topicTags')]],
    ['representations[0].__typename', [{ __typename: 'ApiKey', id: 'a1' }]],
  ])('refuses by the name %s what is no key', async (field, keys) => {
    const { errors } = await entities(as.amy, keys);
    expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'BAD_USER_INPUT', field }]);
  });

  test('answers the other keys beside one that is unusable', async () => {
    const { data, errors } = await entities(as.amy, [cardKey('a1'), { __typename: 'ApiKey' }, cardKey('no id!')]);
    expect(data?._entities).toEqual([expect.objectContaining({ id: 'a1' }), null, null]);
    expect(errors).toMatchObject([{ path: ['_entities', 1], extensions: { field: 'representations[1].__typename' } }]);
  });

  test('is priced by the number of keys, and refused without a credential', async () => {
    const ask = (of: Gateway, metadata: number, keys: number) => {
      const fields = Array.from({ length: metadata }, (_, n) => `m${n}: metadata { key value }`).join(' ');
      const query = `query ($keys: [_Any!]!) { _entities(representations: $keys) { ... on MistakeCard { ${fields} } } }`;
      return of.gql(query, { keys: Array.from({ length: keys }, () => cardKey('a1')) });
    };
    expect((await ask(as.amy, 4, 100)).errors).toBeUndefined();
    expect((await ask(as.amy, 5, 90)).errors).toBeUndefined();
    expect((await ask(as.amy, 5, 100)).errors?.[0]).toMatchObject({
      message: 'the operation has a complexity of 10510; the limit is 10000',
      extensions: { code: 'TOO_COMPLEX' },
    });
    expect((await ask(gateway, 1, 1)).status).toBe(401);
  });

  test('is not there by default', () => {
    expect(Object.keys(apiSchema().getQueryType()?.getFields() ?? {}).filter((name) => name.startsWith('_'))).toEqual(
      [],
    );
  });
});
