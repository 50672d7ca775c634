import type { GraphQLFormattedError, GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Int, Mutation, Resolver } from 'type-graphql';
import { abortable } from '../../src/domain/async.js';
import type { Card } from '../../src/domain/card.js';
import type { OnDuplicate } from '../../src/domain/duplicates.js';
import { BadInputError, DeadlineExceededError, KeyReusedError } from '../../src/domain/errors.js';
import { parseCardChange, parseCreatedCard, parseExpectedRevision } from '../../src/domain/parse/card.js';
import { attachmentsBelow } from '../../src/domain/parse/parse.js';
import { parseId } from '../../src/domain/parse/scalars.js';
import type { CardStore, RequestKey } from '../../src/domain/ports/cards.js';
import { nextTurn, TURN_MS } from '../../src/domain/steps.js';
import { creatorFor } from '../../src/domain/viewer.js';
import type { DuplicateService } from '../../src/exchange/duplicates/duplicate-service.js';
import { REQUEST_DEADLINE_MS } from '../../src/http/deadlines.js';
import type { Context } from '../context.js';
import { ErrorCodeEnum, errorCodeOf, OnDuplicateEnum } from '../enums.js';
import type { ErrorFormatter } from '../errors.js';
import { duplicatesMode, requestKeyOf } from '../requests/request-key.js';
import { computed, deprecated, field, inputType, nullable, outputType } from '../types.js';
import { CreateCardInput, UpdateCardInput } from './card.input.js';
import { MistakeCard } from './card.type.js';

const CardChangeInput = inputType('CardChangeInput', 'One change of updateCards.', {
  id: field(ID, 'The card to change.'),
  input: field(UpdateCardInput, 'What to change.'),
  expectedRevision: nullable(Int, 'The revision that the change was made against; see updateCard.'),
});

interface FailedItem {
  readonly code: string;
  readonly message: string;
  readonly field: string | null;
  readonly cardId: string | null;
  readonly revision: number | null;
}

const ItemError = outputType<FailedItem>(
  'ItemError',
  'The error of one item of a bulk mutation, with the same fields as errors of the single mutation.',
  {
    code: field(String, 'The error code, such as BAD_USER_INPUT, NOT_FOUND or CONFLICT.', deprecated('`errorCode`')),
    message: field(String, 'What is wrong, in English.'),
    field: nullable(String, 'The invalid field, such as "inputs[3].difficulty".'),
    cardId: nullable(
      ID,
      'CONFLICT: the card that the item is in conflict with; null for a reused Idempotency-Key. NOT_FOUND: the card that does not exist.',
    ),
    revision: nullable(Int, 'CONFLICT of revisions: the current revision of the card.'),
  },
  {
    errorCode: computed(ErrorCodeEnum, 'The error code.', ({ code }) => errorCodeOf(code)),
  },
);

interface ChangedCard {
  readonly card: Card | null;
  readonly error: FailedItem | null;
}

const CardResult = outputType<ChangedCard>('CardResult', 'The outcome of one item: the card, or the error.', {
  card: nullable(MistakeCard, 'The card as it is now, or null if the item failed.'),
  error: nullable(ItemError, 'Null if the item succeeded.'),
});

interface DeletedCard {
  readonly id: string;
  readonly deleted: boolean;
  readonly error: FailedItem | null;
}

const DeleteResult = outputType<DeletedCard>('DeleteResult', 'The outcome of one deletion.', {
  id: field(ID, 'The id as it was given.'),
  deleted: field(Boolean, 'True if a card was deleted; false if there was none or the item failed.'),
  error: nullable(ItemError, 'Null if the item succeeded, also if there was no such card.'),
});

/** An item of updateCards, before it is parsed. */
type Change = Readonly<Record<'id' | 'input' | 'expectedRevision', unknown>>;

/** Items of one bulk mutation. */
const MAX_ITEMS = 500;

/** Later items are answered with DEADLINE_EXCEEDED, so that the outcome of the others is returned. */
const LAST_BEGIN_MS = REQUEST_DEADLINE_MS - 2_000;

const OUTCOMES = `One outcome for each item, in order; an item that fails does not affect the others, except where the Idempotency-Key came with another change: then the items after it fail too. At most ${MAX_ITEMS} items. Items that have not been started ${LAST_BEGIN_MS / 1_000} seconds after the request fail with DEADLINE_EXCEEDED and change nothing.`;

/** One bulk mutation. `field` is the item's path, such as `inputs[3]`. */
interface Bulk<Item, Result> {
  readonly argument: string;
  readonly items: readonly Item[];
  readonly done: (item: Item, field: string, key: RequestKey | null) => Promise<Result>;
  readonly failed: (item: Item, error: FailedItem) => Result;
}

const noCard = (_item: unknown, error: FailedItem): ChangedCard => ({ card: null, error });

/** Many changes in one request, each a transaction of its own, one after the other. */
@Resolver()
export class BulkResolver {
  constructor(
    private readonly store: Pick<CardStore, 'update' | 'delete'>,
    private readonly duplicates: Pick<DuplicateService, 'create'>,
    private readonly format: ErrorFormatter,
  ) {}

  @Mutation(() => [CardResult], { description: `Creates cards. ${OUTCOMES}` })
  async createCards(
    @Arg('inputs', () => [CreateCardInput], { description: 'The cards to create.' }) inputs: object[],
    @Arg('onDuplicate', () => OnDuplicateEnum, {
      nullable: true,
      defaultValue: 'KEEP',
      description: 'How to handle an item whose question the owner already has; see createCard.',
    })
    onDuplicate: OnDuplicate | null,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ChangedCard[]> {
    const mode = duplicatesMode(onDuplicate, context);
    const { viewer, signal } = context;
    const done = async (input: object, field: string, key: RequestKey | null): Promise<ChangedCard> => {
      const { owner, ...given } = parseCreatedCard(input, field);
      const creator = creatorFor(viewer, owner, { action: 'create cards', onDuplicate: mode });
      const card = await this.duplicates.create(creator, given, mode, key, signal).catch(attachmentsBelow(field));
      // An earlier mutation of the request may have read the state of the card that this one is merged into.
      context.indexStates.clear(card.id);
      return { card, error: null };
    };
    return this.#each({ argument: 'inputs', items: inputs, done, failed: noCard }, context, info);
  }

  @Mutation(() => [CardResult], { description: `Changes cards. ${OUTCOMES}` })
  updateCards(
    @Arg('changes', () => [CardChangeInput], { description: 'The changes, made in this order.' })
    changes: Change[],
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ChangedCard[]> {
    const { viewer, signal } = context;
    const done = async (item: Change, field: string, key: RequestKey | null): Promise<ChangedCard> => {
      const id = parseId(item.id, `${field}.id`);
      const expected = parseExpectedRevision(item.expectedRevision, `${field}.expectedRevision`);
      const change = parseCardChange(item.input, `${field}.input`);
      const card = await this.store
        .update(viewer, id, change, expected, key, signal)
        .catch(attachmentsBelow(`${field}.input`));
      context.indexStates.clear(card.id);
      return { card, error: null };
    };
    return this.#each({ argument: 'changes', items: changes, done, failed: noCard }, context, info);
  }

  @Mutation(() => [DeleteResult], { description: `Deletes cards. ${OUTCOMES}` })
  deleteCards(
    @Arg('ids', () => [ID], { description: 'The cards to delete.' }) ids: string[],
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<DeletedCard[]> {
    const { viewer, signal } = context;
    const done = async (id: string, field: string, key: RequestKey | null): Promise<DeletedCard> => {
      const deleted = await this.store.delete(viewer, parseId(id, field), null, key, signal);
      return { id, deleted, error: null };
    };
    const failed = (id: string, error: FailedItem): DeletedCard => ({ id, deleted: false, error });
    return this.#each({ argument: 'ids', items: ids, done, failed }, context, info);
  }

  /**
   * The outcome of each item. An item's key is the request's with its place, so that a repeated request repeats each.
   * If the key came with other items, the rest is refused too.
   */
  async #each<Item extends object | string, Result>(
    { argument, items, done, failed }: Bulk<Item, Result>,
    context: Context,
    info: GraphQLResolveInfo,
  ): Promise<Result[]> {
    if (items.length === 0 || items.length > MAX_ITEMS) {
      throw new BadInputError(argument, `must have 1 to ${MAX_ITEMS} items`);
    }
    const late = new DeadlineExceededError('gateway', 'the request had no time left for this item');
    const results: Result[] = [];
    let reused: KeyReusedError | null = null;
    let turnEndMs = performance.now() + TURN_MS;
    for (const [place, item] of items.entries()) {
      // The client has gone, or the deadline has passed.
      context.signal.throwIfAborted();
      try {
        if (reused !== null) throw reused;
        // Of the request: fields before this one have taken some of its time.
        if (performance.now() - context.startedMs > LAST_BEGIN_MS) throw late;
        const key = requestKeyOf(context, info, { item }, { place, count: items.length });
        results.push(await abortable(done(item, `${argument}[${place}]`, key), context.signal));
      } catch (thrown) {
        if (thrown instanceof KeyReusedError) reused = thrown;
        results.push(failed(item, this.#error(thrown, info)));
        if (performance.now() <= turnEndMs) continue;
        // Items that fail may wait for nothing: 500 invalid cards would block the event loop for 60 ms.
        await nextTurn();
        turnEndMs = performance.now() + TURN_MS;
      }
    }
    return results;
  }

  #error(thrown: unknown, info: GraphQLResolveInfo): FailedItem {
    const told: GraphQLFormattedError = this.format({ message: '', path: [info.path.key] }, thrown);
    const { code = 'INTERNAL', field, cardId, revision } = (told.extensions ?? {}) as Partial<FailedItem>;
    return { code, message: told.message, field: field ?? null, cardId: cardId ?? null, revision: revision ?? null };
  }
}
