import type { Wording } from '../app/wording.js';
import type { CardFields, CreateCardInput, QualityGrade, UpdateCardInput } from '../generated/operations.js';

export interface Draft {
  readonly questionText: string;
  /** One a line while they are edited: an empty one is none. */
  readonly choices: readonly string[];
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
  choices: [],
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

/** Long texts, with the rows that a form gives them. */
export const TEXT_ROWS = { questionText: 4, studentSolutionText: 3, goldSolutionBrief: 3, notes: 2 } as const;
export type TextField = keyof typeof TEXT_ROWS;
export const TEXT_FIELDS = Object.keys(TEXT_ROWS) as readonly TextField[];

export const FIELDS = Object.keys(EMPTY_DRAFT) as DraftField[];

export function draftOf(card: CardFields): Draft {
  return Object.fromEntries(FIELDS.map((field) => [field, card[field] ?? ''])) as unknown as Draft;
}

/** An empty text is no text: the API refuses it. */
const given = (value: Draft[DraftField]): unknown => {
  if (Array.isArray(value)) return value.filter((text: string) => text.trim() !== '');
  return value === '' ? null : value;
};

export function createInput(draft: Draft): CreateCardInput {
  const values = FIELDS.map((field) => [field, given(draft[field])] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== null)) as unknown as CreateCardInput;
}

/** What differs from the card; empty where nothing does. */
export function updateInput(draft: Draft, card: CardFields): UpdateCardInput {
  return Object.fromEntries(differing(draft, draftOf(card)).map((field) => [field, given(draft[field])]));
}

export function differing(a: Draft, b: Draft): readonly DraftField[] {
  return FIELDS.filter((field) => JSON.stringify(a[field]) !== JSON.stringify(b[field]));
}

export function textOf(field: DraftField, draft: Draft, wording: Wording): string {
  const value = draft[field];
  if (field === 'subject' || field === 'grade') return wording.named(field, draft[field]);
  if (field === 'qualityGrade') return wording.named('quality', draft.qualityGrade);
  return Array.isArray(value) ? value.join(wording.t('list.comma')) : String(value);
}
