import type { LabelSpellings } from '../../src/domain/labels.js';
import type { DescribedLabel, VocabularyStore } from '../../src/domain/ports/labels.js';
import { atOnce } from '../../src/domain/steps.js';
import { Homophones } from '../../src/search/query/homophones.js';
import type { SynonymSource } from '../../src/search/query/named-labels.js';
import { type CommonSynonyms, Vocabulary } from '../../src/search/query/vocabulary.js';
import { Phrases } from '../../src/text/phrases.js';

/** Of labels whose names are found as they are written. */
export function vocabularyOf(
  synonyms: SynonymSource & Partial<CommonSynonyms> = { of: () => [] },
  described: readonly DescribedLabel[] = [],
): Vocabulary {
  const steps = Vocabulary.read(described, {
    phrases: new Phrases({ segments: (run) => [run] }),
    synonyms: {
      of: (text) => synonyms.of(text),
      said: (text) => synonyms.said?.(text) ?? [],
      called: (text) => synonyms.called?.(text) ?? [],
      below: (text) => synonyms.below?.(text) ?? [],
    },
  });
  return atOnce(steps);
}

export const NO_NAMES: LabelSpellings = { topicTags: new Map(), errorTypes: new Map() };

export const NO_VOCABULARY: VocabularyStore = { changes: 0, described: async () => [] };

/** All Chinese is one word of the dictionary. */
export const HOMOPHONES = new Homophones({ dictionaryWords: (run) => [run] });
