import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Card } from '../../src/domain/card.js';
import { BadInputError } from '../../src/domain/errors.js';
import { parseCardChange, parseCreatedCard, parseExpectedRevision } from '../../src/domain/parse/card.js';
import { parseCardFilter } from '../../src/domain/parse/filter.js';
import { parseCardList, parsePage } from '../../src/domain/parse/page.js';
import { attachmentsBelow } from '../../src/domain/parse/parse.js';
import { parseId } from '../../src/domain/parse/scalars.js';
import {
  type CardStore,
  type FacetCount as Facet,
  type CardFacets as Facets,
  MAX_FACET_VALUES,
} from '../../src/domain/ports/cards.js';
import type { IndexControl } from '../../src/domain/ports/gateway.js';
import type { CardIndexState } from '../../src/domain/ports/ledger.js';
import { nextTurn } from '../../src/domain/steps.js';
import { creatorFor } from '../../src/domain/viewer.js';
import type { DuplicateService } from '../../src/exchange/duplicates/duplicate-service.js';
import { type CountedConnection, countedConnectionOf } from '../connection.js';
import type { Context } from '../context.js';
import { OnDuplicateEnum } from '../enums.js';
import { INDEX_WAIT_MS } from '../requests/deadline.js';
import { duplicatesMode, requestKeyOf } from '../requests/request-key.js';
import { argsType, computed, field, nullable, outputType } from '../types.js';
import { CardsArgs, CreateCardInput, UpdateCardArgs } from './card.input.js';
import { CardConnection, CardIndex, MistakeCard } from './card.type.js';
import { CardFilter } from './card-filter.input.js';

const FacetCount = outputType<Facet>('FacetCount', 'A value and its number of cards.', {
  value: field(String, 'The value as stored in the cards; for difficulties the number.'),
  count: field(Int, 'Number of cards with the value.'),
});

/** Each list in a turn of its own: graphql-js completes a list in one, and aliases repeat it. */
const facetList = (facet: 'subject' | 'grade' | 'topicTag' | 'errorType', by: string, more = '') =>
  computed<Facets>([FacetCount], `The cards by ${by}: at most ${MAX_FACET_VALUES} values.${more}`, async (facets) => {
    await nextTurn();
    return facets[facet];
  });

const CardFacets = outputType<Facets>(
  'CardFacets',
  'Number of cards for each value, the most frequent value first. Values without cards are absent.',
  {
    total: field(Int, 'Number of cards counted.'),
    subject: facetList('subject', 'subject'),
    grade: facetList('grade', 'grade, without those that have none'),
    difficulty: field([FacetCount], 'The cards by difficulty.'),
    topicTag: facetList('topicTag', 'topic tag', ' A card counts once for each of its tags.'),
    errorType: facetList('errorType', 'error type', ' A card counts once for each of its error types.'),
    distinctSubjects: field(Int, 'Number of different subjects of the cards.'),
    distinctGrades: field(Int, 'Number of different grades of the cards.'),
    distinctTopicTags: field(Int, 'Number of different topic tags of the cards.'),
    distinctErrorTypes: field(Int, 'Number of different error types of the cards.'),
  },
);

/** As many as a page of cards may have. */
const MAX_IDS = 100;

const CreateCardArgs = argsType({
  input: field(CreateCardInput, 'The card to create.'),
  waitForIndex: nullable(
    Boolean,
    'Waits up to 5 seconds until searches find the card; index.state says whether they do.',
    { defaultValue: false },
  ),
  onDuplicate: nullable(
    OnDuplicateEnum,
    'How to handle a question that the owner already has. MERGE returns the existing card.',
    { defaultValue: 'KEEP' },
  ),
});

const DeleteCardArgs = argsType({
  id: field(ID, 'The card to delete.'),
  waitForIndex: nullable(Boolean, 'Waits up to 5 seconds until the card is removed from the index.', {
    defaultValue: false,
  }),
  expectedRevision: nullable(
    Int,
    'The revision to delete, at least 1: CONFLICT, without deleting, if the card has another revision by now.',
  ),
});

@Resolver(() => MistakeCard)
export class CardResolver {
  constructor(
    private readonly store: CardStore,
    private readonly control: Pick<IndexControl, 'waitFor'>,
    private readonly duplicates: Pick<DuplicateService, 'create'>,
  ) {}

  @Query(() => MistakeCard, {
    nullable: true,
    description: 'The card with this id, or the one that the card with this id was merged into; null if there is none.',
  })
  card(
    @Arg('id', () => ID, { description: 'The id of the card.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Card | null> {
    return context.cards.load(parseId(id, 'id'));
  }

  @Query(() => [MistakeCard], {
    nullable: 'items',
    description: 'The cards with these ids, in this order, as returned by card; null if there is none. 1 to 100 ids.',
  })
  cardsByIds(
    @Arg('ids', () => [ID], { description: 'The ids of the cards.' }) ids: string[],
    @Ctx() context: Context,
  ): Promise<(Card | null)[]> {
    if (ids.length === 0 || ids.length > MAX_IDS) throw new BadInputError('ids', `must have 1 to ${MAX_IDS} entries`);
    // Parsed before the first is loaded: nothing would await that load if a later id is refused.
    const parsed = ids.map((id, place) => parseId(id, `ids[${place}]`));
    return Promise.all(parsed.map((id) => context.cards.load(id)));
  }

  @Query(() => CardConnection, { description: 'The cards, newest first unless ordered otherwise, page by page.' })
  async cards(
    @Args(() => CardsArgs) args: InstanceType<typeof CardsArgs>,
    @Ctx() { viewer, signal }: Context,
  ): Promise<CountedConnection<Card>> {
    const request = { ...parsePage(args), ...parseCardList(args) };
    const page = await this.store.page(viewer, parseCardFilter(args.filter, 'filter'), request, signal);
    return countedConnectionOf(page, request);
  }

  @Query(() => CardFacets, {
    description: 'Number of cards for each subject, grade, difficulty, topic tag and error type.',
  })
  facets(
    @Arg('filter', () => CardFilter, { nullable: true, description: 'Which cards to count; all by default.' })
    filter: object | null,
    @Ctx() context: Context,
  ): Promise<Facets> {
    return this.store.facets(context.viewer, parseCardFilter(filter, 'filter'), context.signal);
  }

  @Mutation(() => MistakeCard, { description: 'Creates a card. Searches find it within about a second.' })
  async createCard(
    @Args(() => CreateCardArgs) { input, waitForIndex, onDuplicate }: InstanceType<typeof CreateCardArgs>,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Card> {
    const { owner, ...given } = parseCreatedCard(input, 'input');
    const mode = duplicatesMode(onDuplicate, context);
    const request = requestKeyOf(context, info, { input });
    const creator = creatorFor(context.viewer, owner, { action: 'create cards', onDuplicate: mode });
    const created = await this.duplicates
      .create(creator, given, mode, request, context.signal)
      .catch(attachmentsBelow('input'));
    return this.changed(created, waitForIndex, context);
  }

  @Mutation(() => MistakeCard, { description: 'Changes a card. Searches find the changed card within about a second.' })
  async updateCard(
    @Args(() => UpdateCardArgs) args: InstanceType<typeof UpdateCardArgs>,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Card> {
    const id = parseId(args.id, 'id');
    const expected = parseExpectedRevision(args.expectedRevision, 'expectedRevision');
    const change = parseCardChange(args.input, 'input');
    const request = requestKeyOf(context, info, { ...args, waitForIndex: null });
    const card = await this.store
      .update(context.viewer, id, change, expected, request, context.signal)
      .catch(attachmentsBelow('input'));
    return this.changed(card, args.waitForIndex, context);
  }

  @Mutation(() => Boolean, {
    description: 'Deletes a card; no search returns it from now on. False if there was no such card.',
  })
  async deleteCard(
    @Args(() => DeleteCardArgs) { id, waitForIndex, expectedRevision }: InstanceType<typeof DeleteCardArgs>,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<boolean> {
    const cardId = parseId(id, 'id');
    const expected = parseExpectedRevision(expectedRevision, 'expectedRevision');
    const request = requestKeyOf(context, info, expected === null ? { id } : { id, expected });
    const deleted = await this.store.delete(context.viewer, cardId, expected, request, context.signal);
    if (deleted && waitForIndex === true) await this.control.waitFor(context.viewer, cardId, null, INDEX_WAIT_MS);
    return deleted;
  }

  @FieldResolver(() => CardIndex, { description: 'The state of the card in the search index.' })
  index(@Root() card: Card, @Ctx() context: Context): Promise<CardIndexState> {
    return context.indexStates.load(card.id);
  }

  /** A changed card; an index state that an earlier mutation of the request has read is stale now. */
  private async changed(card: Card, waitForIndex: unknown, context: Context): Promise<Card> {
    if (waitForIndex === true) await this.control.waitFor(context.viewer, card.id, card.revision, INDEX_WAIT_MS);
    context.indexStates.clear(card.id);
    return card;
  }
}
