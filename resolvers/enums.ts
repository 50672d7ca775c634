import { registerEnumType } from 'type-graphql';
import { QUALITY_GRADES, type QualityGrade } from '../src/domain/card.js';
import type { OnDuplicate } from '../src/domain/duplicates.js';
import type { ImportState } from '../src/domain/import.js';
import type { Perspective } from '../src/domain/perspective.js';
import type { CardIndexState } from '../src/domain/ports/ledger.js';
import {
  type Fusion,
  type LaneKind,
  type RecallLayer,
  type RecallStrategy,
  VERDICTS,
  type Verdict,
} from '../src/domain/search.js';

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
      description: "The student's solution and the reference solution, each by itself where a card has both.",
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
      description:
        'By the words and the formulas that they share: BM25, as a share of what a card that repeats the query gets.',
    },
    INFERRED: {
      description:
        "By the card's topic tags or error types: how far the query is believed to be about the most likely of them, judged by the cards that carry them. A card as query is about its own labels.",
    },
  },
});

/** The fusions as GraphQL names them. */
export const FusionEnum = { WEIGHTED: 'WEIGHTED', RRF: 'RRF', RELATIVE: 'RELATIVE' } as const satisfies {
  readonly [F in Fusion]: F;
};

registerEnumType(FusionEnum, {
  name: 'Fusion',
  description: 'How the scores of the lanes become one.',
  valuesConfig: {
    WEIGHTED: { description: 'The weighted mean of the scores themselves.' },
    RRF: {
      description:
        'Reciprocal rank fusion: the weighted mean of 61 / (60 + place), where the place is that among the candidates in a lane.',
    },
    RELATIVE: {
      description: 'The weighted mean of where each score lies between the worst and the best candidate of its lane.',
    },
  },
});

/** The strategies as GraphQL names them. */
export const RecallStrategyEnum = { FUSED: 'FUSED', LAYERED: 'LAYERED' } as const satisfies {
  readonly [S in RecallStrategy]: S;
};

registerEnumType(RecallStrategyEnum, {
  name: 'RecallStrategy',
  description: 'How a search collects its candidates.',
  valuesConfig: {
    FUSED: { description: 'From all lanes at once.' },
    LAYERED: {
      description:
        'Layer by layer, from the vectors to the expanded words, until 80, 70 or 60 percent of the wanted number is there. Each layer admits what is alike enough in its own lanes.',
    },
  },
});

/** The layers as GraphQL names them. */
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
    KEYWORD: { description: 'The words.' },
    EXPANDED: { description: 'The words with their synonyms and the labels that were inferred.' },
  },
});

/** The verdicts as GraphQL names them. */
export const VerdictEnum = Object.fromEntries(VERDICTS.map((verdict) => [verdict, verdict])) as {
  readonly [V in Verdict]: V;
};

registerEnumType(VerdictEnum, {
  name: 'Verdict',
  description: 'Why a hit is worth practising, read from its lanes.',
  valuesConfig: {
    DUPLICATE: { description: 'The very question again.' },
    SAME_QUESTION_NEW_SKIN: { description: 'The same question with other numbers or in another story (换皮题).' },
    SAME_TRAP: { description: 'Another question with the same error (同坑).' },
    SAME_IDEA: { description: 'Another question about the same knowledge point.' },
    RELATED: { description: 'Alike in some way, and none of the above.' },
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
  description: 'Whether the search index holds a card as it is now.',
  valuesConfig: {
    PENDING: { description: 'The card has changed and the index has not caught up yet; it will by itself.' },
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

/** What becomes of doubles, as GraphQL names it. */
export const OnDuplicateEnum = {
  KEEP: 'KEEP',
  MERGE: 'MERGE',
  REJECT: 'REJECT',
} as const satisfies { readonly [K in OnDuplicate]: K };

registerEnumType(OnDuplicateEnum, {
  name: 'OnDuplicate',
  description:
    'What becomes of a card whose question its owner has already: the same one, or nearly the same one in other LaTeX, other spacing, with its options in another order.',
  valuesConfig: {
    KEEP: { description: 'It becomes a card of its own beside the other one.' },
    MERGE: {
      description:
        'It becomes an occurrence of the card that exists, with its date, wrong solution and error types; see occurrencesOf.',
    },
    REJECT: { description: 'It is refused as a CONFLICT; as a row of an import it fails.' },
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
  description: 'How far an import is. It goes on by itself after a restart of the gateway.',
  valuesConfig: {
    CHECKING: { description: 'The file waits, or is read for the first time; nothing is stored yet.' },
    RUNNING: { description: 'Its rows are being stored.' },
    DONE: { description: 'Every row was dealt with.' },
    REFUSED: { description: 'The file cannot be used; nothing of it was stored.' },
    FAILED: { description: 'It ended early; what was stored stays, and importing the file again stores the rest.' },
    CANCELLED: {
      description: 'It was ended by cancelImport; what was stored stays, and importing the file again stores the rest.',
    },
  },
});
