import { Float, Int } from 'type-graphql';
import type * as domain from '../../src/domain/search-result.js';
import { MistakeCard } from '../cards/card.type.js';
import { LaneKindEnum, PerspectiveEnum, RecallLayerEnum, VerdictEnum } from '../enums.js';
import { outputType } from '../types.js';

const LaneScore = outputType<domain.LaneScore>(
  'LaneScore',
  'The score of a card in one lane, and its contribution to the score of the hit.',
  {
    perspective: { type: PerspectiveEnum, description: 'The perspective that the lane compares.' },
    kind: { type: LaneKindEnum, description: 'How the lane compares.' },
    score: { type: Float, description: 'The similarity in this lane alone, from 0 to 1.' },
    weight: {
      type: Float,
      description:
        "The lane's weight in this search, from 0 to 1; 0 if it was not requested, negative if similarity is avoided.",
    },
    contribution: {
      type: Float,
      description:
        "The lane's part of the hit's score; negative if similarity is avoided. The contributions of a hit add up to its fused score.",
    },
    rank: {
      type: Int,
      nullable: true,
      description: "The card's rank by this lane alone, 1 is best; null if the lane was not requested.",
    },
  },
);

export const SearchHit = outputType<domain.SearchHit>('SearchHit', 'A card that was found, with the reasons for it.', {
  card: { type: MistakeCard, description: 'The card as it is now.' },
  rank: { type: Int, description: 'The rank of the hit: 1 is best.' },
  score: {
    type: Float,
    description:
      'The similarity of query and card, from 0 to 1: the weighted mean over the lanes for which the card has a text, minus avoided similarity. If the hit was reranked: 0.7 times that, plus 0.3 times the sigmoid of the logit.',
  },
  verdict: { type: VerdictEnum, description: 'How the hit is related to the query, derived from its lanes.' },
  lanes: {
    type: [LaneScore],
    description:
      'Every lane for which the card has a text, with its exact score, and the requested inferred lanes, if labels could be inferred.',
  },
  rerankLogit: {
    type: Float,
    nullable: true,
    description: "The cross-encoder's raw logit; null if the hit was not reranked.",
  },
  layer: {
    type: RecallLayerEnum,
    nullable: true,
    description: 'The layer that found the hit; null unless the strategy is LAYERED.',
  },
  threshold: {
    type: Float,
    nullable: true,
    description: 'The threshold step that the hit reached; null if no step applied.',
  },
});
