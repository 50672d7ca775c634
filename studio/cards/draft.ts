import type { CardFields, CreateCardInput, QualityGrade, UpdateCardInput } from '../generated/operations.js';

/** A card as a form has it. */
export interface Draft {
  readonly questionText: string;
  readonly studentSolutionText: string;
  readonly goldSolutionBrief: string;
  readonly subject: string;
  readonly grade: string;
  readonly difficulty: number;
  readonly qualityGrade: QualityGrade | '';
  readonly topicTags: readonly string[];
  readonly errorTypes: readonly string[];
  readonly source: string;
  readonly notes: string;
}

export type DraftField = keyof Draft;

export const EMPTY_DRAFT: Draft = {
  questionText: '',
  studentSolutionText: '',
  goldSolutionBrief: '',
  subject: 'math',
  grade: '',
  difficulty: 3,
  qualityGrade: '',
  topicTags: [],
  errorTypes: [],
  source: '',
  notes: '',
};

export const FIELDS = Object.keys(EMPTY_DRAFT) as DraftField[];

export function draftOf(card: CardFields): Draft {
  return Object.fromEntries(FIELDS.map((field) => [field, card[field] ?? ''])) as unknown as Draft;
}

/** An empty text is no text: the API refuses it. */
const given = (value: Draft[DraftField]): unknown => (value === '' ? null : value);

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export function createInput(draft: Draft): CreateCardInput {
  return Object.fromEntries(
    FIELDS.filter((field) => given(draft[field]) !== null).map((field) => [field, draft[field]]),
  ) as unknown as CreateCardInput;
}

/** What differs from the card; empty where nothing does. */
export function updateInput(draft: Draft, card: CardFields): UpdateCardInput {
  const before = draftOf(card);
  const changed = FIELDS.filter((field) => !same(draft[field], before[field]));
  return Object.fromEntries(changed.map((field) => [field, given(draft[field])]));
}

/** The fields that say something else in two drafts. */
export function differing(a: Draft, b: Draft): readonly DraftField[] {
  return FIELDS.filter((field) => !same(a[field], b[field]));
}

export function textOf(value: Draft[DraftField]): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}
