import type { AttachmentKind } from '../src/domain/attachment.js';
import type { QualityGrade } from '../src/domain/card.js';
import type { OnDuplicate } from '../src/domain/duplicates.js';
import type { ImportState } from '../src/domain/import.js';
import type { LabelKind } from '../src/domain/labels.js';
import type { Language } from '../src/domain/language.js';
import type { Perspective } from '../src/domain/perspective.js';
import type { CardIndexState } from '../src/domain/ports/ledger.js';
import type { Fusion, LaneKind, QueryExpansion, RecallLayer, RecallStrategy } from '../src/domain/search.js';
import type { Verdict } from '../src/domain/search-result.js';
import { type EnumOf, graphqlEnum } from './types.js';

export const ErrorCodeEnum = graphqlEnum(
  'ErrorCode',
  'Why an operation failed; docs/api.md describes what a client should do.',
  {
    BAD_USER_INPUT: 'A value is invalid.',
    NOT_FOUND: 'The object does not exist, or you may not see it.',
    CONFLICT:
      'The card has changed meanwhile, the id exists already, the key was used for another change, or the operation is running or done already.',
    CURSOR_EXPIRED: 'The cursor of changes cannot be continued.',
    UNAUTHENTICATED: 'The credential is missing, unknown or expired.',
    FORBIDDEN: 'The role or the scope of the credential does not allow it.',
    RATE_LIMITED: 'There were too many requests.',
    TOO_COMPLEX: 'The operation requests too much at once.',
    UNAVAILABLE: 'A required part does not answer.',
    RESOURCE_EXHAUSTED: 'A required part has run out of space or memory.',
    DEADLINE_EXCEEDED: 'The operation took too long; a change may have been made.',
    INTERNAL: 'An error of the gateway.',
  },
);

/** A code of an error during execution, as `extensions.code` has it. */
export type ErrorCode = typeof ErrorCodeEnum extends EnumOf<infer T> ? T : never;

/** The code as the enum has it; INTERNAL for one that the API does not promise. */
export function errorCodeOf(code: string): ErrorCode {
  return code in ErrorCodeEnum ? (code as ErrorCode) : 'INTERNAL';
}

export const PerspectiveEnum = graphqlEnum<Perspective>(
  'Perspective',
  'One of the four texts of a card that are searched separately.',
  {
    question: 'The text of the question.',
    solution: "The student's solution and the reference solution; compared separately if a card has both.",
    concept: 'What the question trains: the topic tags.',
    error: "What went wrong: the error types, with the student's solution as context.",
  },
);

export const LaneKindEnum = graphqlEnum<LaneKind>('LaneKind', 'How a lane compares a query with a card.', {
  DENSE: 'By the cosine similarity of embedding vectors.',
  LEXICAL: 'By shared words and formulas: BM25, relative to the score of a card that repeats the query.',
  INFERRED:
    "By the card's topic tags or error types: how likely one of them is that of the query, or, for a query by card, how many of that card's labels it has. A label that most cards carry hardly counts.",
});

export const FusionEnum = graphqlEnum<Fusion>('Fusion', 'How the scores of the lanes are combined.', {
  WEIGHTED: 'The weighted mean of the scores themselves.',
  RRF: 'Reciprocal rank fusion: the weighted mean of 61 / (60 + rank), where rank is that among the candidates in a lane.',
  RELATIVE:
    'Relative score fusion: the weighted mean of each score scaled from 0 (worst candidate of its lane) to 1 (best).',
});

export const RecallStrategyEnum = graphqlEnum<RecallStrategy>(
  'RecallStrategy',
  'How a search generates its candidates.',
  {
    FUSED: 'From all lanes at once.',
    LAYERED:
      'Layer by layer, from the vectors to the expanded words, until 80, 70 or 60 percent of the requested number is found. Each layer adds cards that pass the threshold in its own lanes.',
  },
);

export const QueryExpansionEnum = graphqlEnum<QueryExpansion>(
  'QueryExpansion',
  'How the chat model of the gateway expands a query by text.',
  {
    MULTI_QUERY: 'Two or three rewrites of at most 20 characters.',
    HYDE: 'A passage of at most 120 characters, like the text of a matching card (hypothetical document embedding).',
  },
);

export const RecallLayerEnum = graphqlEnum<RecallLayer>('RecallLayer', 'One of the layers of a layered search.', {
  SEMANTIC: 'The vectors.',
  STRUCTURE:
    'In byConcept and byError: the names of the labels (0.4), the labels of the other kind (0.35), subject and grade (0.25).',
  KEYWORD: 'The words of the query.',
  EXPANDED: 'The words with their synonyms and the inferred labels.',
});

export const VerdictEnum = graphqlEnum<Verdict>(
  'Verdict',
  'How a hit is related to the query, derived from its lanes.',
  {
    DUPLICATE: 'The same question.',
    SAME_QUESTION_NEW_SKIN: 'The same question with other numbers or in another story (换皮题).',
    SAME_TRAP: 'Another question with the same error (同类错误).',
    SAME_IDEA: 'Another question about the same knowledge point.',
    RELATED: 'Similar in some other way.',
  },
);

type IndexState = CardIndexState['state'];

export const IndexStateEnum = graphqlEnum<IndexState>(
  'IndexState',
  'Whether the search index is up to date with a card.',
  {
    PENDING: 'The card has changed and waits to be indexed.',
    INDEXED: 'The index holds the current revision of the card: searches find it.',
    FAILED:
      'The card could not be indexed; lastError says why. It is tried again once an hour, and when the card changes.',
  },
);

export const QualityGradeEnum = graphqlEnum<QualityGrade>('QualityGrade', 'How good a card is as practice material.', {
  EXCELLENT: 'Complete, correct and worth showing to other students.',
  GOOD: 'Sound, with small gaps.',
  FAIR: 'Usable, but incomplete or hard to read.',
});

export const OnDuplicateEnum = graphqlEnum<OnDuplicate>(
  'OnDuplicate',
  'How to handle a card whose question its owner already has, be it identical or with other LaTeX, other spacing, or its options in another order.',
  {
    KEEP: 'Both cards are kept.',
    MERGE:
      'It becomes an occurrence of the card that exists, with its date, wrong solution and error types; see occurrencesOf.',
    REJECT: 'It is refused with CONFLICT; a row of an import fails.',
  },
);

export const ImportStateEnum = graphqlEnum<ImportState>(
  'ImportState',
  'The state of an import. A restart of the gateway resumes it.',
  {
    CHECKING: 'The file is queued or being validated; nothing is stored yet.',
    RUNNING: 'Its rows are being stored.',
    DONE: 'Every row was processed.',
    REFUSED: 'The file is invalid; nothing was stored.',
    FAILED: 'It ended early; stored rows stay, and importing the file again stores the rest.',
    CANCELLED: 'Cancelled by cancelImport; stored rows stay, and importing the file again stores the rest.',
  },
);

export const AttachmentKindEnum = graphqlEnum<AttachmentKind>('AttachmentKind', 'What an attachment of a card shows.', {
  QUESTION: 'The question, such as its figure.',
  STUDENT_WORK: 'What the student wrote.',
  SOLUTION: 'The correct solution.',
  OTHER: 'Something else.',
});

const LABEL_KIND_NAMES: Readonly<Record<string, string>> = {
  topicTags: 'TOPIC_TAG',
  errorTypes: 'ERROR_TYPE',
} satisfies Record<LabelKind, string>;

export const LabelKindEnum = graphqlEnum<LabelKind>(
  'LabelKind',
  'The kinds of labels that cards have.',
  { topicTags: 'A knowledge point.', errorTypes: 'A kind of error.' },
  (kind) => LABEL_KIND_NAMES[kind] as string,
);

export const LanguageEnum = graphqlEnum<Language>('Language', 'A language.', {
  en: 'English.',
  zh: 'Chinese.',
});
