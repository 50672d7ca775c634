import { z } from 'zod';
import { BadInputError } from '../errors.js';
import { caseIdOf, type GoldenCase, RELEVANCES, writtenSubject } from '../golden.js';
import { PERSPECTIVES } from '../perspective.js';
import { SEARCH_OPERATIONS } from '../search.js';
import { cardFilter, writtenFilter } from './filter.js';
import { parseJson } from './json.js';
import { optional, parse, parserOf, withoutNulls, withSubject } from './parse.js';
import { between, cardId, listOf, MAX_ID_CHARS, optionalText, requiredText, shortName, whole } from './scalars.js';

/** The largest published case has 742 relevant cards; each is some 30 bytes of a request. */
const MAX_JUDGEMENTS = 5_000;

/** Cases that one request may bring: with a few dozen judgements each they fit into its body. */
export const MAX_CASES = 500;

const reason = optional(optionalText, null);

const query = {
  operation: z.enum(SEARCH_OPERATIONS),
  text: optional(requiredText, null),
  cardId: optional(cardId, null),
  filter: optional(cardFilter, {}),
};

const goldenCase = z
  .strictObject({
    id: optional(cardId, null),
    ...query,
    perspective: optional(z.enum(PERSPECTIVES), null),
    relevant: optional(listOf(z.strictObject({ cardId, grade: whole(0, 10), reason }), MAX_JUDGEMENTS), []),
    reason,
  })
  .superRefine(({ cardId: ownId, relevant }, context) => {
    const seen = new Set<string>();
    for (const [place, judged] of relevant.entries()) {
      const message = judged.cardId === ownId ? FINDS_ITSELF : 'occurs twice: a card has one grade';
      if (judged.cardId === ownId || seen.has(judged.cardId)) {
        context.addIssue({ code: 'custom', path: ['relevant', place, 'cardId'], message });
      }
      seen.add(judged.cardId);
    }
  })
  .transform(withSubject)
  .transform(
    ({ relevant: judgements, id, ...rest }): GoldenCase => ({ ...rest, id: id ?? caseIdOf(rest), judgements }),
  );

/** A case as a client or a line of a file writes it; the judgements are called `relevant` there. */
export const parseGoldenCase = parserOf(goldenCase);

/** The name of a golden set, a search profile or a group of students. */
export const parseName = parserOf(shortName);

const goldenSet = z.strictObject({
  name: shortName,
  description: optionalText.nullish(),
  cases: optional(
    z.array(z.unknown()).max(MAX_CASES, `must have at most ${MAX_CASES} entries: add the others by addGoldenCase`),
    null,
  ),
});

/** Null cases: the cases of the set stay. Without a description that of the set stays; null clears it. */
export interface GoldenSetChange extends Omit<Readonly<z.output<typeof goldenSet>>, 'cases'> {
  readonly cases: readonly GoldenCase[] | null;
}

/** A set to save. BadInputError, also if two cases have one id. */
export function parseGoldenSet(value: unknown, fieldPrefix: string): GoldenSetChange {
  const change = parse(goldenSet, value, fieldPrefix);
  const cases = change.cases?.map((one, place) => parseGoldenCase(one, `${fieldPrefix}.cases[${place}]`)) ?? null;
  const ids = new Set<string>();
  for (const [place, { id }] of (cases ?? []).entries()) {
    if (ids.has(id)) throw new BadInputError(`${fieldPrefix}.cases[${place}].id`, 'occurs twice');
    ids.add(id);
  }
  return { ...change, cases };
}

/** A judged hit that is the query card. */
export const FINDS_ITSELF = 'is the card that is searched from: a card never finds itself';

const judged = z
  .strictObject({
    /** Null: the set that judged hits go to. */
    set: optional(shortName, null),
    query: z.strictObject(query).transform(withSubject),
    cardId,
    relevance: z.enum(RELEVANCES),
    reason,
  })
  // A refinement would also look at a query that was refused, which has no subject.
  .transform((given, context) => {
    const { subject } = given.query;
    if (subject.kind === 'card' && subject.cardId === given.cardId) {
      context.addIssue({ code: 'custom', path: ['cardId'], message: FINDS_ITSELF });
    }
    return given;
  });

/** A person's judgement of one hit of a search. */
export type HitJudgement = Readonly<z.output<typeof judged>>;

export const parseHitJudgement = parserOf<HitJudgement>(judged);

export const parseEvaluationOrder = parserOf(
  z
    .strictObject({
      set: shortName,
      profile: shortName,
      against: optional(shortName, null),
      tune: optional(shortName, null),
      // nDCG@10 needs ten hits.
      k: whole(10, 50),
    })
    .refine(({ against, tune }) => against === null || tune === null, {
      path: ['against'],
      error: 'cannot be combined with tune: a tuned profile is compared with the initial one',
    }),
);

export interface GoldenLines {
  readonly cases: readonly GoldenCase[];
  /** Cases whose id an earlier line has: each got a new one, `q-7:2`. */
  readonly renamed: number;
}

/**
 * Reads golden cases in JSON Lines; empty lines are skipped. A concatenation of files may repeat an id for different
 * queries; all of them are kept. BadInputError that names the line, after `prefix`.
 */
export function readGoldenLines(text: string, prefix = ''): GoldenLines {
  const cases: GoldenCase[] = [];
  const ids = new Set<string>();
  /** By the id of a file, the highest number of its cases. */
  const counts = new Map<string, number>();
  let renamed = 0;
  for (const [place, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const where = `${prefix}line ${place + 1}`;
    const read = parseGoldenCase(parseJson(line, where), where);
    let { id } = read;
    while (ids.has(id)) {
      const count = (counts.get(read.id) ?? 1) + 1;
      counts.set(read.id, count);
      const ending = `:${count}`;
      id = read.id.slice(0, MAX_ID_CHARS - ending.length) + ending;
    }
    if (id !== read.id) renamed += 1;
    ids.add(id);
    cases.push({ ...read, id });
  }
  return { cases, renamed };
}

/** The cases as JSON Lines; the inverse of {@link readGoldenLines}. */
export function writeGoldenLines(cases: Iterable<GoldenCase>): string {
  let text = '';
  for (const one of cases) text += `${JSON.stringify(goldenObject(one))}\n`;
  return text;
}

/** A case in the format of the API's input, without absent fields. */
export function goldenObject({ id, operation, subject, filter, perspective, judgements, reason }: GoldenCase) {
  return withoutNulls({
    id,
    operation,
    ...writtenSubject(subject),
    filter: Object.keys(filter).length > 0 ? writtenFilter(filter) : null,
    perspective,
    relevant: judgements.map(withoutNulls),
    reason,
  });
}

const share = between(0, 1).optional();

const mains = z.strictObject({ ndcgAt10: share, mrr: share });

/** Minimum metrics on a golden set, from a file: `search` over all cases, `operations` for each operation. */
export const parseRegressionThresholds = parserOf(
  z.strictObject({
    search: mains.extend({
      recallAt5: share,
      recallAt10: share,
      recallAtK: share,
      precisionAt10: share,
      zeroResultRate: share,
      duplicateRate: share,
    }),
    operations: z.strictObject({
      similarQuestions: mains.optional(),
      bySolution: mains.optional(),
      byConcept: mains.optional(),
      byError: mains.optional(),
      hybridSearch: mains.optional(),
    }),
  }),
);
