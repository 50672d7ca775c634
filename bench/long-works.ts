import { COMMAND_OPERATIONS } from '../src/access/command-operations.js';
import { AnsweredError } from '../src/cli/gateway-client.js';
import { delay } from '../src/domain/async.js';
import type { Client } from './client.js';
import { linesOf, notebook } from './notebook.js';

/** Long work that a user can start. */
export interface LongWork {
  readonly name: string;
  /** Runs it once to its end. */
  readonly work: () => Promise<unknown>;
}

/** The callers. */
interface LongWorkers {
  /** The owner of all cards. */
  readonly student: Client;
  /** Of the same school. */
  readonly admin: Client;
  /** Of a small school, which has the golden set. */
  readonly small: Client;
  /** Of a school whose cards are imported. */
  readonly importer: Client;
}

export const GOLDEN_SET = 'long';

const ALL_OF_A_CARD = `id subject grade difficulty questionText studentSolutionText goldSolutionBrief topicTags errorTypes
  qualityGrade source notes occurredAt occurrences createdAt updatedAt revision index { state indexedRevision perspectives }`;
const PAGE = `query ($after: String) { cards(first: 100, after: $after) { totalCount nodes { ${ALL_OF_A_CARD} } pageInfo { endCursor } } }`;
const PAGES = 20;
const IDS =
  'query ($first: Int!, $after: String) { cards(first: $first, after: $after) { nodes { id } pageInfo { endCursor } } }';
interface IdsPage {
  readonly cards: {
    readonly nodes: readonly { readonly id: string }[];
    readonly pageInfo: { readonly endCursor: string | null };
  };
}
/** Cards of a paper that has a thousand formulas: each card of the notebook has four or five. */
const THOUSAND_FORMULAS = 250;
/** Papers of one school at a time: one is being written, and eight may wait. */
const MAX_PAPERS = 9;
/** Rows of a file that is only read, and of one whose cards are stored. */
const READ = 2_000;
const STORED = 500;
const DUPLICATES = `{ duplicates(first: 100) { exact nearness cards { id questionText } } }`;
const FACETS = '{ facets { subject { value count } topicTag { value count } errorType { value count } } }';
const SEARCH = 'query ($text: String!) { hybridSearch(text: $text, topK: 50) { hits { score card { id } } } }';
const EVALUATE =
  'mutation ($set: String!, $profile: String!, $against: String) { evaluate(set: $set, profile: $profile, against: $against) { id } }';
const TUNE = 'mutation ($set: String!) { evaluate(set: $set, tune: "tuned") { id } }';
const STATE = 'query ($id: ID!) { evaluation(id: $id) { state error } }';

/** Repeats the search until it succeeds: the first search of an owner waits until the owner's index is built. */
async function searched(owner: Client): Promise<unknown> {
  for (;;) {
    try {
      return await owner.ask(SEARCH, { text: '分数应用题' });
    } catch (thrown) {
      if (!(thrown instanceof AnsweredError && thrown.code === 'DEADLINE_EXCEEDED')) throw thrown;
    }
  }
}

/** Work that takes long with a large notebook, a golden set with many cases, or many concurrent callers. */
export function longWorks({ student, admin, small, importer }: LongWorkers): readonly LongWork[] {
  let evaluated = '';
  const exported = (format: string) => ({
    name: `export of all cards as ${format}`,
    work: () => student.export({ format }),
  });
  const evaluate = async (client: Client, query: string, variables: object): Promise<string> => {
    const { id } = (await client.ask<{ evaluate: { id: string } }>(query, { set: GOLDEN_SET, ...variables })).evaluate;
    for (;;) {
      const { evaluation } = await client.ask<{ evaluation: { state: string; error: string | null } }>(STATE, { id });
      if (evaluation.state === 'DONE') return id;
      if (evaluation.state === 'FAILED') throw new Error(`the evaluation failed: ${evaluation.error}`);
      await delay(100);
    }
  };
  /** A file of new cards, whose questions are compared with those of earlier files. */
  const imported = (rows: number, dryRun: boolean) => {
    const now = Date.now();
    const file = [...linesOf(notebook(rows, now), String(now))].join('');
    return importer.import(file, { onDuplicate: 'MERGE', dryRun });
  };
  const twoProfiles = { profile: 'default', against: 'plain-vectors' };
  let known: readonly string[] = [];
  const papers = async (format: string, size = 100): Promise<number> => {
    if (known.length < size) known = await someIds(size);
    return student.export({ format, cardIds: known.slice(0, size) });
  };
  const someIds = async (size: number): Promise<readonly string[]> => {
    const cardIds: string[] = [];
    for (let after: string | null = null; cardIds.length < size; ) {
      const first = Math.min(100, size - cardIds.length);
      const { cards }: IdsPage = await student.ask<IdsPage>(IDS, { first, after });
      cardIds.push(...cards.nodes.map(({ id }) => id));
      after = cards.pageInfo.endCursor;
    }
    return cardIds;
  };
  return [
    exported('jsonl'),
    exported('csv'),
    exported('xlsx'),
    { name: 'ten exports as xlsx at once', work: () => Promise.all(Array.from({ length: 10 }, exported('xlsx').work)) },
    { name: 'paper as html', work: () => papers('html') },
    { name: 'paper with a thousand formulas as html', work: () => papers('html', THOUSAND_FORMULAS) },
    {
      name: 'nine papers as html at once',
      work: () => Promise.all(Array.from({ length: MAX_PAPERS }, () => papers('html'))),
    },
    { name: 'paper as Markdown', work: () => papers('md') },
    { name: 'duplicates', work: () => student.ask(DUPLICATES) },
    {
      name: 'pages of 100 cards with all fields',
      work: async () => {
        let after: string | null = null;
        for (let page = 0; page < PAGES; page += 1) {
          const { cards }: { cards: { pageInfo: { endCursor: string | null } } } = await student.ask(PAGE, { after });
          after = cards.pageInfo.endCursor;
        }
      },
    },
    { name: 'dry run of an import', work: () => imported(READ, true) },
    {
      name: 'import of new cards',
      work: async () => {
        await imported(STORED, false);
        while ((await importer.pending()) > 0) await delay(200);
      },
    },
    { name: 'facets', work: () => admin.ask(FACETS) },
    { name: 'search of all cards by their owner', work: () => searched(student) },
    { name: 'evaluation in the large school', work: () => evaluate(admin, EVALUATE, twoProfiles) },
    {
      name: 'evaluation of many cases',
      work: async () => {
        evaluated = await evaluate(small, EVALUATE, twoProfiles);
      },
    },
    {
      name: 'report of that evaluation',
      work: () => small.ask(COMMAND_OPERATIONS.evaluationReport, { id: evaluated }),
    },
    { name: 'tuning of a profile', work: () => evaluate(small, TUNE, {}) },
    {
      name: 'rebuild of the index',
      work: async () => {
        await admin.ask('mutation { rebuildIndex { building } }');
        while ((await admin.pending()) > 0) await delay(200);
      },
    },
  ];
}
