import { delay } from '../src/domain/async.js';
import type { Client } from './school.js';

/** Something that a user can make long. */
export interface LongWork {
  readonly name: string;
  /** Does it once, to its end. */
  readonly run: () => Promise<unknown>;
}

/** Who does it: all in one school. */
export interface LongWorkers {
  /** The owner of all the cards, who sees no others. */
  readonly student: Client;
  readonly admin: Client;
}

/** The golden set that evaluations are of. */
export const GOLDEN_SET = 'long';

const ALL_OF_A_CARD = `id subject grade difficulty questionText studentSolutionText goldSolutionBrief topicTags errorTypes
  qualityGrade source notes occurredAt occurrences createdAt updatedAt revision index { state indexedRevision perspectives }`;
const PAGE = `query ($after: String) { cards(first: 100, after: $after) { totalCount nodes { ${ALL_OF_A_CARD} } pageInfo { endCursor } } }`;
const PAGES = 20;
const DUPLICATES = `{ duplicates(first: 100) { exact nearness cards { id questionText } } }`;
const FACETS = '{ facets { subject { value count } topicTag { value count } errorType { value count } } }';
const SEARCH = 'query ($text: String!) { hybridSearch(text: $text, topK: 50) { hits { score card { id } } } }';
const EVALUATE =
  'mutation ($set: String!, $profile: String!, $against: String) { evaluate(set: $set, profile: $profile, against: $against) { id } }';
const TUNE = 'mutation ($set: String!) { evaluate(set: $set, tune: "tuned") { id } }';
const STATE = 'query ($id: ID!) { evaluation(id: $id) { state error } }';
const REPORT = 'query ($id: ID!) { evaluation(id: $id) { reportJson rankings { name } } }';

/** Everything that takes long where a notebook is large, a golden set has many cases, or many ask at once. */
export function longWorks({ student, admin }: LongWorkers): readonly LongWork[] {
  let evaluated = '';
  const exported = (format: string) => ({
    name: `export of all cards as ${format}`,
    run: () => student.export({ format }),
  });
  const ended = async (id: string): Promise<void> => {
    for (;;) {
      const { evaluation } = await admin.ask<{ evaluation: { state: string; error: string | null } }>(STATE, { id });
      if (evaluation.state === 'DONE') return;
      if (evaluation.state === 'FAILED') throw new Error(`the evaluation failed: ${evaluation.error}`);
      await delay(100);
    }
  };
  const papers = async (format: string): Promise<number> => {
    const { cards } = await student.ask<{ cards: { nodes: readonly { id: string }[] } }>(
      '{ cards(first: 100) { nodes { id } } }',
    );
    return student.export({ format, cardIds: cards.nodes.map(({ id }) => id) });
  };
  return [
    exported('jsonl'),
    exported('csv'),
    exported('xlsx'),
    { name: 'ten exports as xlsx at once', run: () => Promise.all(Array.from({ length: 10 }, exported('xlsx').run)) },
    { name: 'paper as html', run: () => papers('html') },
    { name: 'ten papers as html at once', run: () => Promise.all(Array.from({ length: 10 }, () => papers('html'))) },
    { name: 'paper as Markdown', run: () => papers('md') },
    { name: 'duplicates', run: () => student.ask(DUPLICATES) },
    {
      name: 'pages of 100 cards with all fields',
      run: async () => {
        let after: string | null = null;
        for (let page = 0; page < PAGES; page += 1) {
          const { cards }: { cards: { pageInfo: { endCursor: string | null } } } = await student.ask(PAGE, { after });
          after = cards.pageInfo.endCursor;
        }
      },
    },
    { name: 'facets', run: () => admin.ask(FACETS) },
    { name: 'search of all cards by their owner', run: () => student.ask(SEARCH, { text: '分数应用题' }) },
    {
      name: 'evaluation of two profiles',
      run: async () => {
        const variables = { set: GOLDEN_SET, profile: 'default', against: 'plain-vectors' };
        const { evaluate } = await admin.ask<{ evaluate: { id: string } }>(EVALUATE, variables);
        evaluated = evaluate.id;
        await ended(evaluated);
      },
    },
    { name: 'report of the evaluation', run: () => admin.ask(REPORT, { id: evaluated }) },
    {
      name: 'tuning of a profile',
      run: async () => {
        const { evaluate } = await admin.ask<{ evaluate: { id: string } }>(TUNE, { set: GOLDEN_SET });
        await ended(evaluate.id);
      },
    },
    {
      name: 'rebuild of the index',
      run: async () => {
        await admin.ask('mutation { rebuildIndex { building } }');
        await admin.indexed();
      },
    },
  ];
}
