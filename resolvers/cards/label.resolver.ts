import { Arg, Args, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import type { ChangedLabel as Changed, Label as DomainLabel, LabelKind } from '../../src/domain/labels.js';
import { parseLabel, parseLabelChange, parseLabelQuery, parseMergedLabels } from '../../src/domain/parse/labels.js';
import { parsePage } from '../../src/domain/parse/page.js';
import type { LabelStore } from '../../src/domain/ports/labels.js';
import { type CountedConnection, connectionType, countedConnectionOf, pageFields } from '../connection.js';
import type { Context } from '../context.js';
import { LabelKindEnum } from '../enums.js';
import { argsType, field, inputType, nullable, outputType } from '../types.js';

const Label = outputType<DomainLabel>(
  'Label',
  'A topic tag or an error type of the school. Names that differ only in case, width or blanks are the same label.',
  {
    kind: field(LabelKindEnum, 'Topic tag or error type.'),
    name: field(String, 'The name, as cards have it.'),
    aliases: field([String], 'Other names in any language, at most 100; each can be used in place of the name.'),
    parent: nullable(String, 'The broader label; filters and searches for it include this label.'),
    children: field([String], 'The labels directly below it, at most 200.'),
    cardCount: field(Int, 'Number of cards with this label that you may see, without those of its children.'),
  },
);

const LabelConnection = connectionType('Label', Label, {
  description: 'A page of labels, by name, as a Relay connection.',
  one: 'label',
  many: 'labels',
  total: 'Number of matching labels on all pages.',
});

const ChangedLabel = outputType<Changed>('ChangedLabel', 'A changed label.', {
  label: field(Label, 'The label as it is now.'),
  changedCards: field(
    Int,
    'Number of cards of the school with a new revision. Searches find them under the new name once they are indexed.',
  ),
});

const LabelInput = inputType('LabelInput', 'Changes of a label. An omitted field is kept.', {
  parent: nullable(String, 'The broader label, which must exist; null: none.'),
  aliases: nullable(
    [String],
    'All other names, at most 100. None may be the name or an alias of another label of the kind.',
  ),
});

const LabelsArgs = argsType({
  ...pageFields(50, 'The endCursor of the previous page. By default the first page.'),
  prefix: nullable(String, 'Labels whose name or an alias begins with this, in any spelling.'),
  parent: nullable(String, 'Only the labels directly below this one.'),
});

type LabelsArgs = InstanceType<typeof LabelsArgs>;

const LISTED = 'by name, page by page: those of your cards, and those with aliases or a place in the tree.';
const FOR_STAFF = 'For teachers and admins.';

/** `guard.ts` refuses students the changes. */
@Resolver(() => Label)
export class LabelResolver {
  constructor(private readonly labels: LabelStore) {}

  @Query(() => LabelConnection, { description: `The topic tags ${LISTED}` })
  topicTags(
    @Args(() => LabelsArgs) args: LabelsArgs,
    @Ctx() context: Context,
  ): Promise<CountedConnection<DomainLabel>> {
    return this.#page('topicTags', args, context);
  }

  @Query(() => LabelConnection, { description: `The error types ${LISTED}` })
  errorTypes(
    @Args(() => LabelsArgs) args: LabelsArgs,
    @Ctx() context: Context,
  ): Promise<CountedConnection<DomainLabel>> {
    return this.#page('errorTypes', args, context);
  }

  @Mutation(() => ChangedLabel, {
    description: `Renames a label on all cards of the school, at most 10,000; the old name becomes an alias. ${FOR_STAFF}`,
  })
  renameLabel(
    @Arg('kind', () => LabelKindEnum, { description: 'Topic tag or error type.' }) kind: LabelKind,
    @Arg('from', () => String, { description: 'The label.' }) from: string,
    @Arg('to', () => String, { description: 'Its new name, 1 to 400 characters, which no other label may have.' })
    to: string,
    @Ctx() { viewer }: Context,
  ): Promise<Changed> {
    return this.labels.rename(viewer, kind, parseLabel(from, 'from'), parseLabel(to, 'to'));
  }

  @Mutation(() => ChangedLabel, {
    description: `Merges labels into another one, on all cards of the school, at most 10,000. Their names and aliases become its aliases, which everybody in the school may see, and their children its children. ${FOR_STAFF}`,
  })
  mergeLabels(
    @Arg('kind', () => LabelKindEnum, { description: 'Topic tags or error types.' }) kind: LabelKind,
    @Arg('from', () => [String], { description: 'The labels to merge, 1 to 20; they are removed.' }) from: string[],
    @Arg('into', () => String, { description: 'The label that is kept.' }) into: string,
    @Ctx() { viewer }: Context,
  ): Promise<Changed> {
    return this.labels.merge(viewer, kind, parseMergedLabels(from, 'from'), parseLabel(into, 'into'));
  }

  @Mutation(() => ChangedLabel, {
    description: `Sets the parent and the aliases of a label, which is created if it does not exist. ${FOR_STAFF}`,
  })
  setLabel(
    @Arg('kind', () => LabelKindEnum, { description: 'Topic tag or error type.' }) kind: LabelKind,
    @Arg('name', () => String, { description: 'The label, 1 to 400 characters.' }) name: string,
    @Arg('input', () => LabelInput, { description: 'What to set.' }) input: object,
    @Ctx() { viewer }: Context,
  ): Promise<Changed> {
    return this.labels.set(viewer, kind, parseLabel(name, 'name'), parseLabelChange({ ...input }, 'input'));
  }

  async #page(kind: LabelKind, args: LabelsArgs, { viewer, signal }: Context): Promise<CountedConnection<DomainLabel>> {
    const request = parsePage(args);
    return countedConnectionOf(
      await this.labels.page(viewer, { kind, ...parseLabelQuery(args) }, request, signal),
      request,
    );
  }
}
