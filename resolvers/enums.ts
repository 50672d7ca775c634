import { registerEnumType } from 'type-graphql';
import type { AttachmentKind } from '../src/domain/attachment.js';
import { QUALITY_GRADES, type QualityGrade } from '../src/domain/card.js';
import type { OnDuplicate } from '../src/domain/duplicates.js';
import type { ImportState } from '../src/domain/import.js';
import type { Perspective } from '../src/domain/perspective.js';
import type { CardIndexState } from '../src/domain/ports/ledger.js';
import {
  type Fusion,
  type LaneKind,
  type QueryExpansion,
  type RecallLayer,
  type RecallStrategy,
} from '../src/domain/search.js';
import { VERDICTS, type Verdict } from '../src/domain/search-result.js';

/** GraphQL writes enums in upper case; the domain writes perspectives in lower case. */
export const PerspectiveEnum = {
  QUESTION: 'question',
  SOLUTION: 'solution',
  CONCEPT: 'concept',
  ERROR: 'error',
} as const satisfies Record<Uppercase<Perspective>, Perspective>;

registerEnumType(PerspectiveEnum, {
  name: 'Perspective',
  description: 'One of the four texts of a card that are searched separately.',
  valuesConfig: {
    QUESTION: { description: 'The text of the question.' },
    SOLUTION: {
      description: "The student's solution and the reference solution; compared separately if a card has both.",
    },
    CONCEPT: { description: 'What the question trains: the topic tags.' },
    ERROR: { description: "What went wrong: the error types, with the student's solution as context." },
  },
});

/** The kinds of lane as GraphQL names them. */
export const LaneKindEnum = {
  DENSE: 'DENSE',
  LEXICAL: 'LEXICAL',
  INFERRED: 'INFERRED',
} as const satisfies { readonly [K in LaneKind]: K };

registerEnumType(LaneKindEnum, {
  name: 'LaneKind',
  description: 'How a lane compares a query with a card.',
  valuesConfig: {
    DENSE: { description: 'By the cosine similarity of embedding vectors.' },
    LEXICAL: {
      description: 'By shared words and formulas: BM25, as a share of the score of a card that repeats the query.',
    },
    INFERRED: {
      description:
        "By the card's topic tags or error types: the posterior, given the query, of the card's most likely label. A card as query is about its own labels.",
    },
  },
});

/** The fusions as GraphQL names them. */
export const FusionEnum = { WEIGHTED: 'WEIGHTED', RRF: 'RRF', RELATIVE: 'RELATIVE' } as const satisfies {
  readonly [F in Fusion]: F;
};

registerEnumType(FusionEnum, {
  name: 'Fusion',
  description: 'How the scores of the lanes are combined.',
  valuesConfig: {
    WEIGHTED: { description: 'The weighted mean of the scores themselves.' },
    RRF: {
      description:
        'Reciprocal rank fusion: the weighted mean of 61 / (60 + rank), where rank is that among the candidates in a lane.',
    },
    RELATIVE: {
      description:
        'Relative score fusion: the weighted mean of each score scaled from 0 (worst candidate of its lane) to 1 (best).',
    },
  },
});

/** The strategies as GraphQL names them. */
export const RecallStrategyEnum = { FUSED: 'FUSED', LAYERED: 'LAYERED' } as const satisfies {
  readonly [S in RecallStrategy]: S;
};

registerEnumType(RecallStrategyEnum, {
  name: 'RecallStrategy',
  description: 'How a search generates its candidates.',
  valuesConfig: {
    FUSED: { description: 'From all lanes at once.' },
    LAYERED: {
      description:
        'Layer by layer, from the vectors to the expanded words, until 80, 70 or 60 percent of the requested number is found. Each layer adds cards that pass the threshold in its own lanes.',
    },
  },
});

/** The layers as GraphQL names them. */
export const QueryExpansionEnum = { MULTI_QUERY: 'MULTI_QUERY', HYDE: 'HYDE' } as const satisfies {
  readonly [E in QueryExpansion]: E;
};

registerEnumType(QueryExpansionEnum, {
  name: 'QueryExpansion',
  description: 'What the chat model of the gateway writes to expand a query by text.',
  valuesConfig: {
    MULTI_QUERY: { description: 'Two or three rewrites of at most 20 characters.' },
    HYDE: {
      description: 'A passage of at most 120 characters, as a card would have it (hypothetical document embedding).',
    },
  },
});

export const RecallLayerEnum = {
  SEMANTIC: 'SEMANTIC',
  STRUCTURE: 'STRUCTURE',
  KEYWORD: 'KEYWORD',
  EXPANDED: 'EXPANDED',
} as const satisfies { readonly [L in RecallLayer]: L };

registerEnumType(RecallLayerEnum, {
  name: 'RecallLayer',
  description: 'One of the layers of a layered search.',
  valuesConfig: {
    SEMANTIC: { description: 'The vectors.' },
    STRUCTURE: {
      description:
        'In byConcept and byError: the names of the labels (0.4), the labels of the other kind (0.35), subject and grade (0.25).',
    },
    KEYWORD: { description: 'The words of the query.' },
    EXPANDED: { description: 'The words with their synonyms and the labels that were inferred.' },
  },
});

/** The verdicts as GraphQL names them. */
export const VerdictEnum = Object.fromEntries(VERDICTS.map((verdict) => [verdict, verdict])) as {
  readonly [V in Verdict]: V;
};

registerEnumType(VerdictEnum, {
  name: 'Verdict',
  description: 'Why a hit is worth practising, derived from its lanes.',
  valuesConfig: {
    DUPLICATE: { description: 'The same question.' },
    SAME_QUESTION_NEW_SKIN: { description: 'The same question with other numbers or in another story (换皮题).' },
    SAME_TRAP: { description: 'Another question with the same error (同坑).' },
    SAME_IDEA: { description: 'Another question about the same knowledge point.' },
    RELATED: { description: 'Similar in some other way.' },
  },
});

type IndexState = CardIndexState['state'];

/** The states of a card in the index as GraphQL names them. */
export const IndexStateEnum = {
  PENDING: 'PENDING',
  INDEXED: 'INDEXED',
  FAILED: 'FAILED',
} as const satisfies { readonly [S in IndexState]: S };

registerEnumType(IndexStateEnum, {
  name: 'IndexState',
  description: 'Whether the search index is up to date with a card.',
  valuesConfig: {
    PENDING: { description: 'The card has changed and waits to be indexed.' },
    INDEXED: { description: 'The index holds the current revision of the card: searches find it.' },
    FAILED: { description: 'The card could not be indexed; lastError says why. The next change tries again.' },
  },
});

/** The quality grades as GraphQL names them. */
export const QualityGradeEnum = Object.fromEntries(QUALITY_GRADES.map((grade) => [grade, grade])) as {
  readonly [G in QualityGrade]: G;
};

registerEnumType(QualityGradeEnum, {
  name: 'QualityGrade',
  description: 'How good a card is as practice material.',
  valuesConfig: {
    EXCELLENT: { description: 'Complete, correct and worth showing to other students.' },
    GOOD: { description: 'Sound, with small gaps.' },
    FAIR: { description: 'Usable, but incomplete or hard to read.' },
  },
});

export const OnDuplicateEnum = {
  KEEP: 'KEEP',
  MERGE: 'MERGE',
  REJECT: 'REJECT',
} as const satisfies { readonly [K in OnDuplicate]: K };

registerEnumType(OnDuplicateEnum, {
  name: 'OnDuplicate',
  description:
    'How to handle a card whose question its owner already has, be it identical or with other LaTeX, other spacing, or its options in another order.',
  valuesConfig: {
    KEEP: { description: 'Both cards are kept.' },
    MERGE: {
      description:
        'It becomes an occurrence of the card that exists, with its date, wrong solution and error types; see occurrencesOf.',
    },
    REJECT: { description: 'It is refused with CONFLICT; a row of an import fails.' },
  },
});

/** The states of an import as GraphQL names them. */
export const ImportStateEnum = {
  CHECKING: 'CHECKING',
  RUNNING: 'RUNNING',
  DONE: 'DONE',
  REFUSED: 'REFUSED',
  FAILED: 'FAILED',
  CANCELLED: 'CANCELLED',
} as const satisfies { readonly [S in ImportState]: S };

registerEnumType(ImportStateEnum, {
  name: 'ImportState',
  description: 'The state of an import. A restart of the gateway resumes it.',
  valuesConfig: {
    CHECKING: { description: 'The file is queued or being validated; nothing is stored yet.' },
    RUNNING: { description: 'Its rows are being stored.' },
    DONE: { description: 'Every row was processed.' },
    REFUSED: { description: 'The file is invalid; nothing was stored.' },
    FAILED: { description: 'It ended early; stored rows stay, and importing the file again stores the rest.' },
    CANCELLED: {
      description: 'Cancelled by cancelImport; stored rows stay, and importing the file again stores the rest.',
    },
  },
});

export const AttachmentKindEnum = {
  QUESTION: 'QUESTION',
  STUDENT_WORK: 'STUDENT_WORK',
  SOLUTION: 'SOLUTION',
  OTHER: 'OTHER',
} as const satisfies { readonly [K in AttachmentKind]: K };

registerEnumType(AttachmentKindEnum, {
  name: 'AttachmentKind',
  description: 'What an attachment of a card shows.',
  valuesConfig: {
    QUESTION: { description: 'The question, such as its figure.' },
    STUDENT_WORK: { description: 'What the student wrote.' },
    SOLUTION: { description: 'The correct solution.' },
    OTHER: { description: 'Something else.' },
  },
});
