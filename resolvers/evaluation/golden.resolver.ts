import DataLoader from 'dataloader';
import { Arg, Args, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root, UseMiddleware } from 'type-graphql';
import { asError } from '../../src/domain/errors.js';
import type { MergeableCards } from '../../src/domain/given-ids.js';
import type { GoldenCase, GoldenCounts, GoldenSet as SetFacts } from '../../src/domain/golden.js';
import { groupedBy } from '../../src/domain/grouped.js';
import type { Page } from '../../src/domain/page.js';
import { parseGoldenCase, parseGoldenSet, parseHitJudgement, parseName } from '../../src/domain/parse/golden.js';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseId } from '../../src/domain/parse/scalars.js';
import type { PageRequest } from '../../src/domain/ports/cards.js';
import type { GoldenStore, JudgedHit as Judged, UndoneJudgement as Undone } from '../../src/domain/ports/evaluation.js';
import type { Viewer } from '../../src/domain/viewer.js';
import { judgeHit } from '../../src/evaluation/judge-hit.js';
import { CardFilter } from '../cards/card-filter.input.js';
import { type Connection, connectionOf, pageFields } from '../connection.js';
import { type Context, perRequest } from '../context.js';
import { PerspectiveEnum } from '../enums.js';
import { forStaff } from '../requests/guard.js';
import { argsType, deprecated, field, inputType, nullable } from '../types.js';
import { RelevanceEnum, SearchOperationEnum } from './evaluation.enums.js';
import {
  type CasePage,
  GoldenCaseConnection,
  GoldenCasePage,
  GoldenSet,
  JudgedHit,
  UndoneJudgement,
} from './golden.type.js';

const JudgementInput = inputType('JudgementInput', 'The grade of a card in a case.', {
  cardId: field(ID, 'The card; each once in a case, and never the query card.'),
  grade: field(Int, 'From 0 (not relevant) to 10: the gain of nDCG.'),
  reason: nullable(String, 'Why.'),
});

const QUERY = {
  operation: field(SearchOperationEnum, 'The search.'),
  text: nullable(String, 'The text of the query. Give either text or cardId.'),
  cardId: nullable(ID, 'The card used as query. Give either text or cardId.'),
  filter: nullable(CardFilter, 'The filter of the search.'),
};

const GoldenQueryInput = inputType('GoldenQueryInput', 'The search that returned the hit.', QUERY);

const GoldenCaseInput = inputType('GoldenCaseInput', 'A query with the cards that it should find.', {
  ...QUERY,
  id: nullable(
    ID,
    'An id that no other case of the set has, in the format of a card id. An existing case with this id is replaced. By default the id of the case that judgeHit creates for this query.',
  ),
  perspective: nullable(
    PerspectiveEnum,
    'The perspective in which the relevant cards are similar to the query. By default that of the search.',
  ),
  relevant: nullable([JudgementInput], 'The judged cards: at most 5000.'),
  reason: nullable(String, 'Why these cards are relevant.'),
});

const SaveGoldenSetInput = inputType('SaveGoldenSetInput', 'A golden set to create or to change.', {
  name: field(String, 'The name of the set: 1 to 100 characters.'),
  description: nullable(String, 'The purpose of the set; null: none. If omitted, it is kept.'),
  cases: nullable(
    [GoldenCaseInput],
    'At most 500 cases, which replace all cases of the set. If omitted, the cases are kept.',
  ),
});

const JudgeHitArgs = argsType({
  query: field(GoldenQueryInput, 'The search that returned the hit.'),
  cardId: field(ID, 'The card of the hit.'),
  relevance: field(RelevanceEnum, 'The judgement.'),
  reason: nullable(String, 'Why.'),
  set: nullable(String, 'The golden set of the judgement; created if it does not exist. By default "judged".'),
});

const GoldenSetsArgs = argsType(
  pageFields(100, 'The cursor of the last set of the previous page. By default the first page.'),
);
const GoldenCasesArgs = argsType(pageFields(50));
const CasesArgs = argsType(pageFields(50, 'The `next` of the previous page.'));

@UseMiddleware(forStaff)
@Resolver(() => GoldenSet)
export class GoldenResolver {
  /** Without a cache: a mutation may change a set between two of its fields. */
  readonly #pagesOf = perRequest(
    ({ viewer }) =>
      new DataLoader<WantedPage, Page<GoldenCase>>((wanted) => readPages(this.golden, viewer, wanted), {
        cache: false,
      }),
  );

  /** Only where they are selected: they read all judgements of a set, which each added case would wait for. */
  readonly #countsOf = perRequest(
    ({ viewer }) =>
      new DataLoader<string, GoldenCounts>(
        async (names) => {
          const counts = await this.golden.counts(viewer, [...new Set(names)]);
          return names.map((name) => counts.get(name) ?? NO_CASES);
        },
        { cache: false },
      ),
  );

  constructor(
    private readonly golden: GoldenStore,
    private readonly cards: MergeableCards,
  ) {}

  @Query(() => [GoldenSet], { description: 'The golden sets of the tenant, by name, page by page.' })
  goldenSets(
    @Args(() => GoldenSetsArgs) args: InstanceType<typeof GoldenSetsArgs>,
    @Ctx() { viewer }: Context,
  ): Promise<readonly SetFacts[]> {
    return this.golden.sets(viewer, parsePage(args));
  }

  @Query(() => GoldenSet, { description: 'The golden set of this name; NOT_FOUND without one.' })
  goldenSet(
    @Arg('name', () => String, { description: 'The name of the set.' }) name: string,
    @Ctx() { viewer }: Context,
  ): Promise<SetFacts> {
    return this.golden.set(viewer, parseName(name, 'name'));
  }

  @FieldResolver(() => Int, { description: 'How many cases there are.' })
  async caseCount(@Root() { name }: SetFacts, @Ctx() context: Context): Promise<number> {
    return (await this.#countsOf(context).load(name)).cases;
  }

  @FieldResolver(() => Int, { description: 'Number of cases that can be measured: those with a grade above 0.' })
  async judgedCaseCount(@Root() { name }: SetFacts, @Ctx() context: Context): Promise<number> {
    return (await this.#countsOf(context).load(name)).judgedCases;
  }

  @FieldResolver(() => Int, { description: 'Number of judged cards, over all cases.' })
  async judgementCount(@Root() { name }: SetFacts, @Ctx() context: Context): Promise<number> {
    return (await this.#countsOf(context).load(name)).judgements;
  }

  @FieldResolver(() => GoldenCaseConnection, {
    description:
      'The cases of the set, in their order. Thousands of judgements end a page early: see `hasNextPage`. CONFLICT if the cases were replaced since the previous page: begin with the first page.',
  })
  async goldenCases(
    @Root() { name }: SetFacts,
    @Args(() => GoldenCasesArgs) args: InstanceType<typeof GoldenCasesArgs>,
    @Ctx() context: Context,
  ): Promise<Connection<GoldenCase>> {
    const page = parsePage(args);
    return connectionOf(await this.#pagesOf(context).load({ name, page }), page);
  }

  @FieldResolver(() => GoldenCasePage, {
    description: 'The cases of the set, in their order, page by page.',
    ...deprecated('`goldenCases`'),
  })
  async cases(
    @Root() { name }: SetFacts,
    @Args(() => CasesArgs) args: InstanceType<typeof CasesArgs>,
    @Ctx() context: Context,
  ): Promise<CasePage> {
    const { edges, hasNextPage } = await this.#pagesOf(context).load({ name, page: parsePage(args) });
    return { nodes: edges.map(({ node }) => node), next: hasNextPage ? (edges.at(-1)?.cursor ?? null) : null };
  }

  @Mutation(() => GoldenSet, { description: 'Creates a golden set, or changes the one with this name.' })
  saveGoldenSet(
    @Arg('input', () => SaveGoldenSetInput, { description: 'The set.' }) input: object,
    @Ctx() { viewer }: Context,
  ): Promise<SetFacts> {
    return this.golden.save(viewer, parseGoldenSet(input, 'input'));
  }

  @Mutation(() => GoldenSet, { description: 'Adds a case to a golden set, or replaces the one with its id.' })
  addGoldenCase(
    @Arg('set', () => String, { description: 'The name of the set; NOT_FOUND without one.' }) set: string,
    @Arg('case', () => GoldenCaseInput, { description: 'The case.' }) one: object,
    @Ctx() { viewer }: Context,
  ): Promise<SetFacts> {
    return this.golden.addCase(viewer, parseName(set, 'set'), parseGoldenCase(one, 'case'));
  }

  @Mutation(() => Boolean, {
    description: 'Deletes a golden set with its cases. False if there was no such set.',
  })
  deleteGoldenSet(
    @Arg('name', () => String, { description: 'The name of the set.' }) name: string,
    @Ctx() { viewer }: Context,
  ): Promise<boolean> {
    return this.golden.delete(viewer, parseName(name, 'name'));
  }

  @Mutation(() => JudgedHit, {
    description:
      'Judges the relevance of a hit and stores the judgement in a golden set. undoJudgement restores the previous judgement.',
  })
  judgeHit(
    @Args(() => JudgeHitArgs) args: InstanceType<typeof JudgeHitArgs>,
    @Ctx() { viewer }: Context,
  ): Promise<Judged> {
    return judgeHit({ golden: this.golden, cards: this.cards }, viewer, parseHitJudgement(args));
  }

  @Mutation(() => UndoneJudgement, {
    description:
      'Undoes a judgement; the previous judgement of the hit applies again. NOT_FOUND if it was undone already.',
  })
  undoJudgement(
    @Arg('judgementId', () => ID, { description: 'The judgementId returned by judgeHit.' }) judgementId: string,
    @Ctx() { viewer }: Context,
  ): Promise<Undone> {
    return this.golden.undo(viewer, parseId(judgementId, 'judgementId'));
  }
}

const NO_CASES: GoldenCounts = { cases: 0, judgedCases: 0, judgements: 0 };

interface WantedPage {
  readonly name: string;
  readonly page: PageRequest;
}

/** The same page of the cases of many golden sets is read at once. */
async function readPages(
  golden: GoldenStore,
  viewer: Viewer,
  wanted: readonly WantedPage[],
): Promise<readonly (Page<GoldenCase> | Error)[]> {
  const keyOf = ({ page }: WantedPage): string => JSON.stringify([page.first, page.after]);
  const read = new Map(
    await Promise.all(
      [...groupedBy(wanted, keyOf)].map(async ([key, group]) => {
        const names = [...new Set(group.map(({ name }) => name))];
        return [key, await golden.cases(viewer, names, group[0].page).catch(asError)] as const;
      }),
    ),
  );
  return wanted.map((one) => {
    const pages = read.get(keyOf(one));
    return pages instanceof Error ? pages : (pages?.get(one.name) ?? { edges: [], hasNextPage: false });
  });
}
