import type { FieldKind, FieldKinds } from './card-values.js';

interface Declaration {
  readonly kind: FieldKind;
  /**
   * optional: null if a card has none; list: empty if it has none; defaulted: set by the gateway if a new card
   * has none.
   */
  readonly presence: 'required' | 'optional' | 'list' | 'defaulted';
  /** Each occurrence of the mistake has its own. */
  readonly perOccurrence?: true;
  /**
   * Descriptions in the GraphQL schema: of a card, of inputs, and of a card that was merged (only for lasting fields,
   * and not for one of which a merge keeps all).
   */
  readonly about: {
    readonly card: string;
    readonly create: string;
    readonly update: string;
    readonly import: string;
    readonly merged?: string;
  };
}

/**
 * Every field of a card that clients write, declared once, in the order of columns and exports. Types, parsers, GraphQL
 * fields, database columns, exports and merges are derived from it; columns of files are described in
 * `exchange/formats/file-fields.ts`.
 */
export const CARD_CONTENT = {
  subject: {
    kind: 'subject',
    presence: 'required',
    about: {
      card: 'The school subject, such as "math".',
      create: 'The school subject, such as "math": 1 to 100 characters.',
      update: 'The new subject: 1 to 100 characters, not null.',
      import: 'The school subject. Required.',
      merged: 'Its subject.',
    },
  },
  grade: {
    kind: 'grade',
    presence: 'optional',
    about: {
      card: 'The school grade, such as "G6", or null if unknown.',
      create: 'The school grade, such as "G6": 1 to 100 characters.',
      update: 'The new grade: 1 to 100 characters. Null clears it.',
      import: 'The school grade.',
      merged: 'Its grade.',
    },
  },
  difficulty: {
    kind: 'difficulty',
    presence: 'required',
    about: {
      card: 'How hard the question is, from 1 (easiest) to 5.',
      create: 'How hard the question is, from 1 (easiest) to 5.',
      update: 'The new difficulty, from 1 (easiest) to 5, not null.',
      import: 'How hard the question is, from 1 (easiest) to 5. Required.',
      merged: 'Its difficulty.',
    },
  },
  questionText: {
    kind: 'text',
    presence: 'required',
    about: {
      card: 'The question as the student met it; LaTeX and line breaks are kept.',
      create: 'The question as the student met it; LaTeX and line breaks are supported.',
      update: 'The new question: up to 16384 bytes of UTF-8, not null.',
      import: 'The question. Required.',
      merged: 'Its question.',
    },
  },
  choices: {
    kind: 'choices',
    presence: 'list',
    about: {
      card: 'The choices of a multiple-choice question, in order: A, B and so on. Empty for other questions.',
      create:
        'The choices of a multiple-choice question: 2 to 12, of one line and 1 to 500 characters each. Their letters A, B, ... are omitted. None by default.',
      update: 'The new choices, replacing all old ones: 2 to 12. Null or an empty list removes all.',
      import: 'The choices of a multiple-choice question.',
      merged: 'Its choices.',
    },
  },
  studentSolutionText: {
    kind: 'text',
    presence: 'optional',
    perOccurrence: true,
    about: {
      card: "The student's own, wrong solution, or null.",
      create: "The student's own, wrong solution.",
      update: "The student's new solution: up to 16384 bytes of UTF-8. Null clears it.",
      import: "The student's own, wrong solution.",
    },
  },
  goldSolutionBrief: {
    kind: 'text',
    presence: 'optional',
    about: {
      card: 'The correct solution in brief, or null.',
      create: 'The correct solution in brief.',
      update: 'The new reference solution: up to 16384 bytes of UTF-8. Null clears it.',
      import: 'The correct solution in brief.',
      merged: 'Its reference solution.',
    },
  },
  topicTags: {
    kind: 'labels',
    presence: 'list',
    about: {
      card: 'The knowledge points that the question trains, such as "fractions".',
      create:
        'The knowledge points that the question trains, such as ["fractions", "ratio"]: at most 50, of 1 to 400 characters each. Repeated ones count once. None by default.',
      update:
        'The new topic tags, replacing all old ones: at most 50, of 1 to 400 characters each. Null or an empty list removes all.',
      import: 'The knowledge points that the question trains.',
      merged: 'Its topic tags.',
    },
  },
  errorTypes: {
    kind: 'labels',
    presence: 'list',
    perOccurrence: true,
    about: {
      card: 'What kinds of error the student made, such as "sign error".',
      create:
        'What kinds of error the student made, such as ["sign error"]: at most 50, of 1 to 400 characters each. Repeated ones count once. None by default.',
      update:
        'The new error types, replacing all old ones: at most 50, of 1 to 400 characters each. Null or an empty list removes all. The latest occurrence with exactly the old ones gets the new ones too.',
      import: 'What kinds of error the student made.',
    },
  },
  qualityGrade: {
    kind: 'quality',
    presence: 'optional',
    about: {
      card: 'How good the card is as practice material, or null.',
      create: 'How good the card is as practice material.',
      update: 'The new quality grade. Null clears it.',
      import: 'How good the card is as practice material.',
      merged: 'Its quality grade.',
    },
  },
  source: {
    kind: 'source',
    presence: 'optional',
    about: {
      card: 'Where the question comes from, such as a book and page, or null.',
      create: 'Where the question comes from, such as a book and page: 1 to 500 characters.',
      update: 'The new source: 1 to 500 characters. Null clears it.',
      import: 'Where the question comes from.',
      merged: 'Where it came from.',
    },
  },
  notes: {
    kind: 'text',
    presence: 'optional',
    about: {
      card: 'Free notes of the student or a teacher; they are not searched.',
      create: 'Free notes of the student or a teacher; they are not searched.',
      update: 'The new notes: up to 16384 bytes of UTF-8. Null clears them.',
      import: 'Free notes.',
      merged: 'Its notes.',
    },
  },
  occurredAt: {
    kind: 'moment',
    presence: 'defaulted',
    perOccurrence: true,
    about: {
      card: 'When the mistake happened.',
      create: 'When the mistake was made, from the year 1900 to 9999. By default now.',
      update: 'When the mistake happened, from the year 1900 to 9999, not null.',
      import: 'When the mistake was made. By default now.',
    },
  },
  metadata: {
    kind: 'metadata',
    presence: 'list',
    about: {
      card: 'What an app has stored with the card, by key; it is not searched.',
      create: 'Metadata of your app: at most 32 entries, each key once. They are not searched. None by default.',
      update: 'The new metadata, replacing all old ones: at most 32 entries. Null or an empty list removes all.',
      import: 'What your app stores with the card.',
      merged: 'Its metadata.',
    },
  },
  attachments: {
    kind: 'attachments',
    presence: 'list',
    about: {
      card: 'Links and uploaded files, at most 10; they are not searched.',
      create: 'Links and uploaded files: at most 10, each once. They are not searched. None by default.',
      update:
        'The new attachments, replacing all old ones: at most 10. Null or an empty list removes all. An uploaded file that no card uses any more is deleted.',
      import: 'Links and uploaded files: at most 10.',
    },
  },
} as const satisfies Readonly<Record<string, Declaration>>;

type Declared = typeof CARD_CONTENT;

export type ContentField = keyof Declared;

/** Card fields that clients write. An absent text is null, never ''. */
export type CardContent = {
  readonly [Field in ContentField]:
    | FieldKinds[Declared[Field]['kind']]
    | (Declared[Field]['presence'] extends 'optional' ? null : never);
};

export type OccurrenceField = {
  [Field in ContentField]: Declared[Field] extends { readonly perOccurrence: true } ? Field : never;
}[ContentField];

export const CONTENT_FIELDS = Object.keys(CARD_CONTENT) as readonly ContentField[];
export const OCCURRENCE_FIELDS = CONTENT_FIELDS.filter(isOfOccurrence);
/** Fields that do not depend on one occurrence of the mistake. */
export const LASTING_FIELDS = CONTENT_FIELDS.filter((field) => !isOfOccurrence(field)) as readonly Exclude<
  ContentField,
  OccurrenceField
>[];

/** Lasting fields of which an occurrence keeps what differs in a merged card. */
export const MERGED_FIELDS = LASTING_FIELDS.filter(
  (field) => 'merged' in CARD_CONTENT[field].about,
) as readonly Exclude<ContentField, OccurrenceField | 'attachments'>[];

function isOfOccurrence(field: ContentField): field is OccurrenceField {
  return 'perOccurrence' in CARD_CONTENT[field];
}

/** The content whose fields have the values that `read` returns for them. */
export function contentFrom(read: <Field extends ContentField>(field: Field) => CardContent[Field]): CardContent {
  return Object.fromEntries(CONTENT_FIELDS.map((field) => [field, read(field)])) as unknown as CardContent;
}
