import { z } from 'zod';
import { QUALITY_GRADES } from '../card.js';
import { LANGUAGES } from '../language.js';
import type { CardFilter } from '../search.js';
import { parse, withoutUndefined } from './parse.js';
import { anyOf, cardId, difficulty, grade, instant, label, metadata, source, subject, who } from './scalars.js';

const grades = anyOf(grade).optional();
const subjects = anyOf(subject).optional();
const qualityGrades = anyOf(z.enum(QUALITY_GRADES)).optional();

const twice = (earlier: string) => ({
  path: [earlier],
  error: `is the earlier name of ${earlier}s: give only one of the two`,
});

/**
 * The filter of a search or a list. Its fields are a closed set and none may be null: an absent field is no
 * restriction, so that a value that was lost on the way cannot widen what is shown.
 */
export const cardFilter = z
  .strictObject({
    grades,
    subjects,
    qualityGrades,
    // Their earlier names.
    grade: grades,
    subject: subjects,
    qualityGrade: qualityGrades,
    difficultyMin: difficulty.optional(),
    difficultyMax: difficulty.optional(),
    topicTags: anyOf(label).optional(),
    errorTypes: anyOf(label).optional(),
    allTopicTags: anyOf(label).optional(),
    allErrorTypes: anyOf(label).optional(),
    owners: anyOf(who).optional(),
    sources: anyOf(source).optional(),
    // In files and on the command line as GraphQL writes it, too.
    languages: anyOf(z.string().toLowerCase().pipe(z.enum(LANGUAGES))).optional(),
    hasSolution: z.boolean().optional(),
    unlabelled: z.boolean().optional(),
    occurredAfter: instant.optional(),
    occurredBefore: instant.optional(),
    metadata: metadata.refine((entries) => entries.length > 0, 'must not be empty: leave it out').optional(),
    excludeCardIds: anyOf(cardId).optional(),
  })
  .refine(({ grades, grade }) => !grades || !grade, twice('grade'))
  .refine(({ subjects, subject }) => !subjects || !subject, twice('subject'))
  .refine(({ qualityGrades, qualityGrade }) => !qualityGrades || !qualityGrade, twice('qualityGrade'))
  .transform(({ grades, subjects, qualityGrades, ...filter }) =>
    withoutUndefined({
      ...filter,
      grade: grades ?? filter.grade,
      subject: subjects ?? filter.subject,
      qualityGrade: qualityGrades ?? filter.qualityGrade,
    }),
  )
  .refine(({ difficultyMin = 1, difficultyMax = 5 }) => difficultyMin <= difficultyMax, {
    path: ['difficultyMin'],
    error: 'must not be over difficultyMax',
  })
  .refine(({ occurredAfter, occurredBefore }) => !occurredAfter || !occurredBefore || occurredAfter < occurredBefore, {
    path: ['occurredAfter'],
    error: 'must be before occurredBefore',
  });

/** The filter that a client wrote; without one, the filter that lets every card through. BadInputError. */
export function parseCardFilter(value: unknown, fieldPrefix: string): CardFilter {
  return parse(cardFilter.nullish(), value, fieldPrefix) ?? {};
}

/** A filter as clients write it, by the present names: the inverse of {@link parseCardFilter}. */
export function writtenFilter({
  grade: grades,
  subject: subjects,
  qualityGrade: qualityGrades,
  ...filter
}: CardFilter) {
  return withoutUndefined({ ...filter, grades, subjects, qualityGrades });
}

/** A written filter as GraphQL reads it: its languages are those of an enum, in upper case. */
export function filterInput(filter: { readonly languages?: unknown }): object {
  const upper = (one: unknown): unknown => (typeof one === 'string' ? one.toUpperCase() : one);
  const { languages } = filter;
  return withoutUndefined({ ...filter, languages: Array.isArray(languages) ? languages.map(upper) : upper(languages) });
}
