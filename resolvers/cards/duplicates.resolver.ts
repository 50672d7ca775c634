import { GraphQLDateTime } from 'graphql-scalars';
import { Arg, Args, Ctx, Float, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import type { Card } from '../../src/domain/card.js';
import { NotFoundError } from '../../src/domain/errors.js';
import type { Occurrence as Time } from '../../src/domain/occurrence.js';
import { parseExpectedRevision } from '../../src/domain/parse/card.js';
import { parseCardFilter } from '../../src/domain/parse/filter.js';
import { parsePage } from '../../src/domain/parse/page.js';
import { parseId } from '../../src/domain/parse/scalars.js';
import type { ImportStore } from '../../src/domain/ports/imports.js';
import type { ClusterFinder, ListedCluster } from '../../src/exchange/duplicates/cluster-finder.js';
import type { DuplicateService } from '../../src/exchange/duplicates/duplicate-service.js';
import { pageFields } from '../connection.js';
import type { Context } from '../context.js';
import { argsType, field, nullable, outputType } from '../types.js';
import { MistakeCard } from './card.type.js';
import { cardFields } from './card-fields.js';
import { CardFilter } from './card-filter.input.js';

const MergedContent = outputType<object>(
  'MergedContent',
  'Fields of a merged card that differ from the card it was merged into; null if they are equal.',
  cardFields('merged'),
);

const Occurrence = outputType<Time>('Occurrence', 'One occurrence of a mistake.', {
  number: field(Int, 'Number of the occurrence, in the order of storing, from 1.'),
  occurredAt: field(GraphQLDateTime, 'When the mistake was made.'),
  wrongSolution: nullable(String, 'The wrong solution of this occurrence, or null.'),
  errorTypes: field([String], 'The error types of this occurrence.'),
  mergedId: nullable(ID, 'The id of the card that was merged into this occurrence, or null.'),
  merged: nullable(
    MergedContent,
    'Fields of the merged card, or of the row that was imported, that differ from the card; or null.',
  ),
});

const DuplicateCluster = outputType<ListedCluster>('DuplicateCluster', 'Cards of one owner with the same question.', {
  cards: field(
    [MistakeCard],
    'Two or more. The first is the one to merge the others into: the card with most occurrences, or the oldest.',
  ),
  exact: field(Boolean, 'True if the questions differ only in spacing.'),
  nearness: field(Float, 'The lowest similarity of any of them to the first, from 0 to 1.'),
  cursor: field(String, 'The position of the cluster in the list: pass that of the last one as `after` for the next.'),
});

interface Unmerged {
  readonly from: Card;
  readonly into: Card;
}

const UnmergedCards = outputType<Unmerged>('UnmergedCards', 'The two cards of a merge that was undone.', {
  from: field(MistakeCard, 'The card that was restored.'),
  into: field(MistakeCard, 'The card that it had been merged into.'),
});

export interface DuplicatesParts {
  readonly duplicates: Pick<DuplicateService, 'merge' | 'unmerge'>;
  readonly clusters: Pick<ClusterFinder, 'find'>;
  readonly imports: Pick<ImportStore, 'occurrences'>;
}

const DuplicatesArgs = argsType({
  filter: nullable(CardFilter, 'Which cards to compare; all by default.'),
  ...pageFields(
    20,
    'The cursor of the last cluster of the previous page. By default the first page, for which the cards are compared again.',
  ),
});

const MergeCardsArgs = argsType({
  into: field(ID, 'The card that is kept.'),
  from: field(ID, 'The card that is merged and deleted.'),
  expectedRevision: nullable(
    Int,
    'The revision that `into` must have, at least 1: CONFLICT if it has another one by now.',
  ),
  expectedFromRevision: nullable(Int, 'As expectedRevision, of `from`.'),
});

@Resolver()
export class DuplicatesResolver {
  constructor(private readonly parts: DuplicatesParts) {}

  @Query(() => [Occurrence], {
    description: 'All occurrences of the mistake of a card, in the order of storing.',
  })
  async occurrencesOf(
    @Arg('cardId', () => ID, { description: 'The id of the card, or of one that was merged into it.' })
    cardId: string,
    @Ctx() context: Context,
  ): Promise<readonly Time[]> {
    const id = parseId(cardId, 'cardId');
    const card = await context.cards.load(id);
    const times = card && (await this.parts.imports.occurrences(context.viewer, [card.id])).get(card.id);
    if (!times) throw new NotFoundError('card', id);
    return times;
  }

  @Query(() => [DuplicateCluster], {
    description:
      'Likely duplicates, for cleaning up: cards of one owner that ask the same question, the largest cluster first. At most 20,000 cards that may have a duplicate are compared: with more, merge these and ask again, or ask with a filter.',
  })
  duplicates(
    @Args(() => DuplicatesArgs) { filter, first, after }: InstanceType<typeof DuplicatesArgs>,
    @Ctx() context: Context,
  ): Promise<readonly ListedCluster[]> {
    const page = parsePage({ first, after });
    return this.parts.clusters.find(context.viewer, parseCardFilter(filter, 'filter'), page, context.signal);
  }

  @Mutation(() => MistakeCard, {
    description:
      'Merges a card into another of the same owner and deletes it: its occurrences, labels and differing fields are kept with the other card, which its id refers to from then on.',
  })
  async mergeCards(
    @Args(() => MergeCardsArgs) args: InstanceType<typeof MergeCardsArgs>,
    @Ctx() context: Context,
  ): Promise<Card> {
    const into = parseId(args.into, 'into');
    const from = parseId(args.from, 'from');
    const card = await this.parts.duplicates.merge(context.viewer, {
      into,
      from,
      intoRevision: parseExpectedRevision(args.expectedRevision, 'expectedRevision'),
      fromRevision: parseExpectedRevision(args.expectedFromRevision, 'expectedFromRevision'),
    });
    context.cards.clear(into).clear(from);
    context.indexStates.clear(into).clear(from);
    return card;
  }

  @Mutation(() => UnmergedCards, {
    description:
      'Undoes mergeCards: the deleted card is restored under its id, with its texts, labels, occurrences and attempts, and what it added to the other card is removed from there. Later changes are kept. CONFLICT if the merge was not recorded, or if the other card has itself been merged.',
  })
  async unmergeCard(
    @Arg('id', () => ID, { description: 'The id of the card that was merged and deleted.' }) id: string,
    @Arg('expectedRevision', () => Int, {
      nullable: true,
      description: 'The revision that the other card must have, at least 1: CONFLICT if it has another one by now.',
    })
    expectedRevision: number | null,
    @Ctx() context: Context,
  ): Promise<Unmerged> {
    const unmerged = await this.parts.duplicates.unmerge(context.viewer, {
      id: parseId(id, 'id'),
      expectedRevision: parseExpectedRevision(expectedRevision, 'expectedRevision'),
    });
    for (const card of [unmerged.from, unmerged.into]) {
      context.cards.clear(card.id);
      context.indexStates.clear(card.id);
    }
    return unmerged;
  }
}
