import { z } from 'zod';
import { BadInputError } from '../errors.js';
import { caseIdOf, type GoldenCase, RELEVANCES, type Relevance } from '../golden.js';
import { PERSPECTIVES } from '../perspective.js';
import { SEARCH_OPERATIONS } from '../search.js';
import { cardFilter } from './filter.js';
import { parse } from './parse.js';
import { cardId, name, optionalText, requiredText, whole } from './scalars.js';

/** The largest published case has 742 relevant cards; each is some 30 bytes of a request. */
const MAX_JUDGEMENTS = 5_000;

/** Cases that one request may bring: with a few dozen judgements each they fit into its body. */
const MAX_CASES = 500;

const reason = optionalText.nullish();

const judgement = z
  .strictObject({ cardId, grade: whole(0, 10), reason })
  .transform((given) => ({ ...given, reason: given.reason ?? null }));

const query = {
  operation: z.enum(SEARCH_OPERATIONS),
  text: requiredText.nullish(),
  cardId: cardId.nullish(),
  filter: cardFilter.nullish(),
};

const goldenCase = z
  .strictObject({
    id: cardId.nullish(),
    ...query,
    perspective: z.enum(PERSPECTIVES).nullish(),
    relevant: z.array(judgement).max(MAX_JUDGEMENTS, `must have at most ${MAX_JUDGEMENTS} entries`).nullish(),
    reason,
  })
  .superRefine(({ cardId: ownId, relevant }, context) => {
    const seen = new Set<string>();
    for (const [place, judged] of (relevant ?? []).entries()) {
      const message =
        judged.cardId === ownId
          ? 'is the card that is searched from: a card never finds itself'
          : 'occurs twice: a card has one grade';
      if (judged.cardId === ownId || seen.has(judged.cardId)) {
        context.addIssue({ code: 'custom', path: ['relevant', place, 'cardId'], message });
      }
      seen.add(judged.cardId);
    }
  })
  .transform(withSubject)
  .transform(({ relevant, id, operation, subject, ...rest }): GoldenCase => {
    const query = { operation, subject, filter: rest.filter ?? {} };
    return {
      id: id ?? caseIdOf(query),
      ...query,
      perspective: rest.perspective ?? null,
      judgements: relevant ?? [],
      reason: rest.reason ?? null,
    };
  });

/** Exactly one of text and card, as in every search. */
function withSubject<T extends { readonly text?: string | null; readonly cardId?: string | null }>(
  { text, cardId: id, ...rest }: T,
  context: z.RefinementCtx,
) {
  if (text != null && id == null) return { subject: { kind: 'text', text } as const, ...rest };
  if (id != null && text == null) return { subject: { kind: 'card', cardId: id } as const, ...rest };
  const message =
    text == null ? 'is required where there is no cardId' : 'must be left out where there is a text: one of the two';
  context.addIssue({ code: 'custom', path: [text == null ? 'text' : 'cardId'], message });
  return z.NEVER;
}

/** A case as a client or a line of a file writes it; the judgements are called `relevant` there. BadInputError. */
export function parseGoldenCase(value: unknown, fieldPrefix: string): GoldenCase {
  return parse(goldenCase, value, fieldPrefix);
}

/** The name of a golden set or a search profile: 1 to 100 characters. BadInputError. */
export function parseName(value: unknown, field: string): string {
  return parse(name(100), value, field);
}

const goldenSet = z.strictObject({
  name: name(100),
  description: optionalText.nullish(),
  cases: z
    .array(z.unknown())
    .max(MAX_CASES, `must have at most ${MAX_CASES} entries: add the others by addGoldenCase`)
    .nullish(),
});

/** Null cases: the cases of the set stay. */
export interface GoldenSetChange {
  readonly name: string;
  readonly description: string | null;
  readonly cases: readonly GoldenCase[] | null;
}

/** A set to save. BadInputError, also where two cases have one id. */
export function parseGoldenSet(value: unknown, fieldPrefix: string): GoldenSetChange {
  const { name: given, description, cases } = parse(goldenSet, value, fieldPrefix);
  const parsed = cases?.map((one, place) => parseGoldenCase(one, `${fieldPrefix}.cases[${place}]`)) ?? null;
  const ids = new Set<string>();
  for (const [place, { id }] of (parsed ?? []).entries()) {
    if (ids.has(id)) throw new BadInputError(`${fieldPrefix}.cases[${place}].id`, 'occurs twice');
    ids.add(id);
  }
  return { name: given, description: description ?? null, cases: parsed };
}

const judged = z
  .strictObject({
    set: name(100).nullish(),
    query: z.strictObject(query).transform(withSubject),
    cardId,
    relevance: z.enum(RELEVANCES),
    reason,
  })
  // A refinement would also look at a query that was refused, which has no subject.
  .transform((given, context) => {
    const { subject } = given.query;
    if (subject.kind === 'card' && subject.cardId === given.cardId) {
      const message = 'is the card that is searched from: a card never finds itself';
      context.addIssue({ code: 'custom', path: ['cardId'], message });
    }
    return given;
  });

/** A person's judgement of one hit of a search. */
export interface HitJudgement {
  /** Null: the set that judged hits go to. */
  readonly set: string | null;
  readonly query: Pick<GoldenCase, 'operation' | 'subject' | 'filter'>;
  readonly cardId: string;
  readonly relevance: Relevance;
  readonly reason: string | null;
}

/** A judged hit as a client writes it. BadInputError. */
export function parseHitJudgement(value: unknown): HitJudgement {
  const { set, query: given, reason: said, ...rest } = parse(judged, value, '');
  return { ...rest, set: set ?? null, query: { ...given, filter: given.filter ?? {} }, reason: said ?? null };
}

/** nDCG@10 needs ten hits. */
const k = whole(10, 50);

const order = z.strictObject({
  set: name(100),
  profile: name(100),
  against: name(100).nullish(),
  tune: name(100).nullish(),
  k,
});

/** BadInputError. */
export function parseEvaluationOrder(args: unknown) {
  const { against, tune, ...rest } = parse(order, args, '');
  if (against != null && tune != null)
    throw new BadInputError(
      'against',
      'cannot be combined with tune: a tuned profile is compared with the initial one',
    );
  return { ...rest, against: against ?? null, tune: tune ?? null };
}
