import type { GiveWay } from '../domain/background.js';
import type { ChatModel } from '../domain/ports/chat.js';
import type { VocabularyStore } from '../domain/ports/labels.js';
import type { Analyse } from '../lexical/terms.js';
import { EnglishWords } from '../text/english-words.js';
import { Phrases } from '../text/phrases.js';
import { Synonyms } from '../text/synonyms.js';
import type { Tokenizer } from '../text/tokenizer.js';
import { Engine, type EngineParts } from './engine.js';
import { ExpandedEngine } from './query/expanded-engine.js';
import { Homophones } from './query/homophones.js';
import { QueryRewriter } from './query/query-rewriter.js';
import { Vocabularies } from './query/vocabularies.js';
import { createRetrievers, type RetrieversParts } from './retrieve.js';
import { TagSuggester } from './suggest.js';
import { ViewerIndexes, type ViewerIndexesParts } from './viewer-indexes.js';

export interface SearchParts
  extends Omit<EngineParts, 'indexes' | 'retrievers' | 'vocabularies' | 'english' | 'homophones' | 'pause'>,
    RetrieversParts {
  readonly labels: VocabularyStore;
  readonly tenants: ViewerIndexesParts['tenants'];
  readonly tokenizer: Tokenizer;
  /** Rewrites queries; null: none is configured. */
  readonly chat: ChatModel | null;
  readonly analyse: Analyse;
  /** Called for each use of an owner's index with whether it was cached. */
  readonly onOwnerIndex: (cached: boolean) => void;
  readonly background: Pick<GiveWay, 'pause'>;
}

export interface Search {
  /** For clients. */
  readonly engine: ExpandedEngine;
  /** The same, for evaluations: gives way to searches of clients between blocks of cards. */
  readonly backgroundEngine: ExpandedEngine;
  readonly suggester: TagSuggester;
}

export function createSearch(parts: SearchParts): Search {
  const { tenants, cards, labels, tokenizer, analyse, onOwnerIndex } = parts;
  const indexes = new ViewerIndexes({ tenants, cards, analyse, onAsked: onOwnerIndex });
  const phrases = new Phrases(tokenizer);
  const vocabularies = new Vocabularies({ labels, phrases, synonyms: new Synonyms(phrases) });
  const words = { english: new EnglishWords(), homophones: new Homophones(tokenizer) };
  const engineParts = { ...parts, ...words, indexes, retrievers: createRetrievers(parts), vocabularies };
  const rewriter = new QueryRewriter(parts.chat);
  return {
    engine: new ExpandedEngine(new Engine(engineParts), rewriter),
    backgroundEngine: new ExpandedEngine(new Engine({ ...engineParts, pause: parts.background.pause }), rewriter),
    suggester: new TagSuggester(indexes),
  };
}
