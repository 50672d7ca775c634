import { GraphQLDateTime } from 'graphql-scalars';
import { ID, Int } from 'type-graphql';
import { writtenFilter } from '../../src/domain/parse/filter.js';
import type { CardFilter as DomainFilter } from '../../src/domain/search.js';
import { LanguageEnum, QualityGradeEnum } from '../enums.js';
import { deprecated, nullable, twoWayTypes } from '../types.js';
import { MetadataEntry, MetadataInput } from './card-fields.js';

/** The names of a filter's lists beside those of the domain. */
interface PluralNames {
  readonly grades: unknown;
  readonly subjects: unknown;
  readonly qualityGrades: unknown;
}

const earlierNameOf = (type: readonly [object], name: keyof PluralNames) =>
  nullable(type, `The earlier name of \`${name}\`.`, deprecated(`\`${name}\``));

export const { input: CardFilter, output: GoldenFilter } = twoWayTypes<DomainFilter & PluralNames>(
  {
    input: [
      'CardFilter',
      'Restricts which cards may be returned. All given fields must match; a list has 1 to 100 values, `metadata` 1 to 32 entries. A list matches any of its values; `metadata` and lists whose names begin with `all` match all of them; `excludeCardIds` matches none. An omitted field does not restrict; null and an empty list are errors.',
    ],
    output: ['GoldenFilter', 'The filter of a case; an absent field does not restrict.'],
  },
  {
    grades: nullable([String], 'The grade is one of these.', {
      inputDescription: 'The grade is one of these, such as ["G5", "G6"]; 五年级 and Grade 5 are G5.',
    }),
    grade: earlierNameOf([String], 'grades'),
    subjects: nullable([String], 'The subject is one of these.', {
      inputDescription: 'The subject is one of these, such as ["math"]; 数学 is math.',
    }),
    subject: earlierNameOf([String], 'subjects'),
    difficultyMin: nullable(Int, 'Minimum difficulty.', { inputDescription: 'Minimum difficulty, from 1 to 5.' }),
    difficultyMax: nullable(Int, 'Maximum difficulty.', {
      inputDescription: 'Maximum difficulty, from 1 to 5, not below difficultyMin.',
    }),
    topicTags: nullable([String], 'The card carries at least one of these topic tags.', {
      inputDescription: 'The card carries at least one of these topic tags, or of those below them, by name or alias.',
    }),
    errorTypes: nullable([String], 'The card carries at least one of these error types.', {
      inputDescription: 'The card carries at least one of these error types, or of those below them, by name or alias.',
    }),
    allTopicTags: nullable([String], 'The card carries all of these topic tags.'),
    allErrorTypes: nullable([String], 'The card carries all of these error types.'),
    qualityGrades: nullable([QualityGradeEnum], 'The quality grade is one of these.'),
    qualityGrade: earlierNameOf([QualityGradeEnum], 'qualityGrades'),
    owners: nullable([ID], 'The owner is one of these students.'),
    sources: nullable([String], 'The source equals one of these.'),
    languages: nullable(
      [LanguageEnum],
      'The language is one of these: ZH if the question contains a Chinese character, else EN.',
    ),
    hasSolution: nullable(Boolean, 'Whether the card has a reference solution.'),
    unlabelled: nullable(Boolean, 'True: the card has neither topic tags nor error types. False: it has some.'),
    occurredAfter: nullable(GraphQLDateTime, 'The mistake was made at this time or later.'),
    occurredBefore: nullable(GraphQLDateTime, 'The mistake was made before this time.', {
      inputDescription: 'The mistake was made before this time, which must be later than occurredAfter.',
    }),
    metadata: nullable([MetadataEntry], 'The card has all of these entries in its metadata.', {
      inputType: [MetadataInput],
      inputDescription: 'The card has all of these entries in its metadata: 1 to 32, each key once.',
    }),
    excludeCardIds: nullable([ID], 'Cards to exclude.', {
      inputDescription: 'Cards to exclude, such as those already practised.',
    }),
  },
);

/** A filter as clients read it: its lists by both names. */
export function goldenFilter(filter: DomainFilter): object {
  return { ...filter, ...writtenFilter(filter) };
}
