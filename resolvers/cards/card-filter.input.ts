import { GraphQLDateTime } from 'graphql-scalars';
import { ID, Int } from 'type-graphql';
import { writtenFilter } from '../../src/domain/parse/filter.js';
import type { CardFilter as DomainFilter } from '../../src/domain/search.js';
import { QualityGradeEnum } from '../enums.js';
import { LanguageEnum } from '../tutoring/tutoring.enums.js';
import { twoWayTypes } from '../types.js';
import { MetadataEntry, MetadataInput } from './card-fields.js';

const nullable = true;

/** The names of a filter's lists beside those of the domain. */
interface PluralNames {
  readonly grades: unknown;
  readonly subjects: unknown;
  readonly qualityGrades: unknown;
}

const earlierNameOf = (name: keyof PluralNames) =>
  ({
    nullable,
    description: `The earlier name of \`${name}\`.`,
    deprecationReason: `Use \`${name}\`. Deprecated on 2026-11-23.`,
  }) as const;

export const { input: CardFilter, output: GoldenFilter } = twoWayTypes<DomainFilter & PluralNames>(
  {
    input: [
      'CardFilter',
      'Restricts which cards may be returned. All given fields must match; a list has 1 to 100 values, `metadata` 1 to 32 entries. A list matches any of its values; `metadata` and lists whose names begin with `all` match all of them; `excludeCardIds` matches none. An omitted field does not restrict; null and an empty list are errors.',
    ],
    output: ['GoldenFilter', 'The filter of a case; an absent field does not restrict.'],
  },
  {
    grades: {
      type: [String],
      nullable,
      description: 'The grade is one of these.',
      inputDescription: 'The grade is one of these, such as ["G5", "G6"]; 五年级 and Grade 5 are G5.',
    },
    grade: { type: [String], ...earlierNameOf('grades') },
    subjects: {
      type: [String],
      nullable,
      description: 'The subject is one of these.',
      inputDescription: 'The subject is one of these, such as ["math"]; 数学 is math.',
    },
    subject: { type: [String], ...earlierNameOf('subjects') },
    difficultyMin: {
      type: Int,
      nullable,
      description: 'Minimum difficulty.',
      inputDescription: 'Minimum difficulty, from 1 to 5.',
    },
    difficultyMax: {
      type: Int,
      nullable,
      description: 'Maximum difficulty.',
      inputDescription: 'Maximum difficulty, from 1 to 5, not below difficultyMin.',
    },
    topicTags: {
      type: [String],
      nullable,
      description: 'The card carries at least one of these topic tags.',
      inputDescription: 'The card carries at least one of these topic tags, or of those below them, by name or alias.',
    },
    errorTypes: {
      type: [String],
      nullable,
      description: 'The card carries at least one of these error types.',
      inputDescription: 'The card carries at least one of these error types, or of those below them, by name or alias.',
    },
    allTopicTags: { type: [String], nullable, description: 'The card carries all of these topic tags.' },
    allErrorTypes: { type: [String], nullable, description: 'The card carries all of these error types.' },
    qualityGrades: { type: [QualityGradeEnum], nullable, description: 'The quality grade is one of these.' },
    qualityGrade: { type: [QualityGradeEnum], ...earlierNameOf('qualityGrades') },
    owners: { type: [ID], nullable, description: 'The owner is one of these students.' },
    sources: { type: [String], nullable, description: 'The source equals one of these.' },
    languages: {
      type: [LanguageEnum],
      nullable,
      description: 'The language is one of these: ZH if the question contains a Chinese character, else EN.',
    },
    hasSolution: { type: Boolean, nullable, description: 'Whether the card has a reference solution.' },
    unlabelled: {
      type: Boolean,
      nullable,
      description: 'True: the card has neither topic tags nor error types. False: it has some.',
    },
    occurredAfter: { type: GraphQLDateTime, nullable, description: 'The mistake was made at this time or later.' },
    occurredBefore: {
      type: GraphQLDateTime,
      nullable,
      description: 'The mistake was made before this time.',
      inputDescription: 'The mistake was made before this time, which must be later than occurredAfter.',
    },
    metadata: {
      type: [MetadataEntry],
      nullable,
      description: 'The card has all of these entries in its metadata.',
      inputType: [MetadataInput],
      inputDescription: 'The card has all of these entries in its metadata: 1 to 32, each key once.',
    },
    excludeCardIds: {
      type: [ID],
      nullable,
      description: 'Cards to exclude.',
      inputDescription: 'Cards to exclude, such as those already practised.',
    },
  },
);

/** A filter as clients read it: its lists by both names. */
export function goldenFilter(filter: DomainFilter): object {
  return { ...filter, ...writtenFilter(filter) };
}
