import type { CardStore } from '../domain/ports/cards.js';
import type { ChatModel } from '../domain/ports/chat.js';
import type { TagSuggester } from '../domain/ports/gateway.js';
import type { Analyse } from '../lexical/terms.js';
import { Synonyms } from '../text/synonyms.js';
import type { Tokenizer } from '../text/tokenizer.js';
import { Engine, type EngineParts } from './engine.js';
import { ExpandedEngine } from './expanded-engine.js';
import { QueryRewriter } from './query-rewriter.js';
import { createRetrievers, type RetrieversParts } from './retrieve.js';
import { LabelSuggester } from './suggest.js';
import { ViewerIndexes, type ViewerIndexesParts } from './viewer-indexes.js';

export interface SearchParts
  extends Omit<EngineParts, 'indexes' | 'retrievers' | 'cards' | 'synonyms'>,
    RetrieversParts {
  readonly cards: Pick<CardStore, 'byIds'>;
  readonly tenants: ViewerIndexesParts['tenants'];
  readonly tokenizer: Tokenizer;
  /** Rewrites queries; null: none is configured. */
  readonly chat: ChatModel | null;
  readonly analyse: Analyse;
  /** Called for each use of an owner's index with whether it was cached. */
  readonly onOwnerIndex: (cached: boolean) => void;
}

export interface Search {
  readonly engine: ExpandedEngine;
  readonly suggester: TagSuggester;
}

export function createSearch(parts: SearchParts): Search {
  const { tenants, cards, tokenizer, analyse, onOwnerIndex } = parts;
  const indexes = new ViewerIndexes({ tenants, cards, analyse, onAsked: onOwnerIndex });
  const engine = new Engine({
    ...parts,
    indexes,
    retrievers: createRetrievers(parts),
    synonyms: new Synonyms(tokenizer),
  });
  return { engine: new ExpandedEngine(engine, new QueryRewriter(parts.chat)), suggester: new LabelSuggester(indexes) };
}
