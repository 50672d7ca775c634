import { registerEnumType } from 'type-graphql';
import type { Language } from '../src/domain/language.js';
import {
  EVIDENCE_VERDICTS,
  type EvidenceVerdict,
  SOURCE_TEXTS,
  type SourceText,
  TUTORING_MODES,
  type TutoringMode,
} from '../src/domain/tutoring.js';

export const LanguageEnum = { EN: 'en', ZH: 'zh' } as const satisfies Record<Uppercase<Language>, Language>;

registerEnumType(LanguageEnum, {
  name: 'Language',
  description: 'A language.',
  valuesConfig: { EN: { description: 'English.' }, ZH: { description: 'Chinese.' } },
});

export const TutoringModeEnum = Object.fromEntries(TUTORING_MODES.map((mode) => [mode, mode])) as {
  readonly [M in TutoringMode]: M;
};

registerEnumType(TutoringModeEnum, {
  name: 'TutoringMode',
  description: 'What a tutor is to do.',
  valuesConfig: {
    HINT_1: { description: 'Name the idea or the step to look at again.' },
    HINT_2: { description: 'Name the method and how to begin.' },
    HINT_3: { description: 'Lead up to the last step, without the answer.' },
    DIAGNOSE: { description: 'Find the error and its reason.' },
    EXPLAIN: { description: 'Explain the error and the right way, with the answer.' },
    QUIZ: { description: 'Ask a new question that trains the same idea.' },
  },
});

export const EvidenceVerdictEnum = Object.fromEntries(EVIDENCE_VERDICTS.map((verdict) => [verdict, verdict])) as {
  readonly [V in EvidenceVerdict]: V;
};

registerEnumType(EvidenceVerdictEnum, {
  name: 'EvidenceVerdict',
  description: 'Whether the cards that were found carry an answer.',
  valuesConfig: {
    ENOUGH: {
      description:
        'There is a reference solution of the very question, or two cards are closely related, by their verdict or their relevance, or one is very near.',
    },
    THIN: { description: 'There are sources, and fewer that are closely related.' },
    NONE: { description: 'There is no source: a tutor has nothing to say. So it is where the search finds nothing.' },
  },
});

export const SourceTextEnum = Object.fromEntries(SOURCE_TEXTS.map((text) => [text, text])) as {
  readonly [T in SourceText]: T;
};

registerEnumType(SourceTextEnum, {
  name: 'SourceText',
  description: 'The texts of a card that a source quotes.',
  valuesConfig: {
    QUESTION: { description: 'The question.' },
    WRONG_SOLUTION: { description: "The student's wrong solution." },
    REFERENCE_SOLUTION: { description: 'The reference solution.' },
    TOPIC_TAG: { description: 'Topic tags.' },
    ERROR_TYPE: { description: 'Error types.' },
  },
});
