import { Field, InputType, Int, ObjectType } from 'type-graphql';
import type { Label as DomainLabel, LabelKind } from '../../src/domain/labels.js';
import { connectionType } from '../connection.js';
import { LabelKindEnum } from '../practice/practice.enums.js';

@ObjectType({
  description:
    'A topic tag or an error type of the school. Names that differ only in case, width or blanks are the same label.',
  simpleResolvers: true,
})
export class Label {
  @Field(() => LabelKindEnum, { description: 'Topic tag or error type.' })
  kind!: LabelKind;

  @Field(() => String, { description: 'The name, as cards have it.' })
  name!: string;

  @Field(() => [String], {
    description: 'Other names in any language, at most 100; each can be used in place of the name.',
  })
  aliases!: readonly string[];

  @Field(() => String, {
    nullable: true,
    description: 'The broader label; filters and searches for it include this label.',
  })
  parent!: string | null;

  @Field(() => [String], { description: 'The labels directly below it, at most 200.' })
  children!: readonly string[];

  @Field(() => Int, { description: 'Number of cards with this label that you may see, without those of its children.' })
  cardCount!: number;
}

@ObjectType({ description: 'A page of labels, by name, as a Relay connection.', simpleResolvers: true })
export class LabelConnection extends connectionType<DomainLabel>('Label', Label, { one: 'label', many: 'labels' }) {
  @Field(() => Int, { description: 'Number of matching labels on all pages.' })
  totalCount!: number;
}

@ObjectType({ description: 'A changed label.', simpleResolvers: true })
export class ChangedLabel {
  @Field(() => Label, { description: 'The label as it is now.' })
  label!: DomainLabel;

  @Field(() => Int, {
    description:
      'Number of cards of the school with a new revision. Searches find them under the new name once they are indexed.',
  })
  changedCards!: number;
}

@InputType({ description: 'Changes of a label. An omitted field is kept.' })
export class LabelInput {
  @Field(() => String, { nullable: true, description: 'The broader label, which must exist; null: none.' })
  parent?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'All other names, at most 100. None may be the name or an alias of another label of the kind.',
  })
  aliases?: string[] | null;
}
