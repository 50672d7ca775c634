import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { Card } from '../../src/domain/card.js';
import type { Perspective } from '../../src/domain/perspective.js';
import type { RecallLayer } from '../../src/domain/search.js';
import type { LaneScore as DomainLaneScore, Verdict } from '../../src/domain/search-result.js';
import { MistakeCard } from '../cards/card.type.js';
import { LaneKindEnum, PerspectiveEnum, RecallLayerEnum, VerdictEnum } from '../enums.js';

@ObjectType({
  description: 'The score of a card in one lane, and its contribution to the score of the hit.',
  simpleResolvers: true,
})
export class LaneScore {
  @Field(() => PerspectiveEnum, { description: 'The perspective that the lane compares.' })
  perspective!: Perspective;

  @Field(() => LaneKindEnum, { description: 'How the lane compares.' })
  kind!: DomainLaneScore['kind'];

  @Field(() => Float, { description: 'The similarity in this lane alone, from 0 to 1.' })
  score!: number;

  @Field(() => Float, {
    description:
      "The lane's weight in this search, from 0 to 1; 0 if it was not requested, negative if similarity is avoided.",
  })
  weight!: number;

  @Field(() => Float, {
    description:
      "The lane's part of the hit's score; negative if similarity is avoided. The contributions of a hit add up to its fused score.",
  })
  contribution!: number;

  @Field(() => Int, {
    nullable: true,
    description: "The card's rank by this lane alone, 1 is best; null if the lane was not requested.",
  })
  rank!: number | null;
}

@ObjectType({ description: 'A card that was found, with the reasons for it.', simpleResolvers: true })
export class SearchHit {
  @Field(() => MistakeCard, { description: 'The card as it is now.' })
  card!: Card;

  @Field(() => Int, { description: 'The rank of the hit: 1 is best.' })
  rank!: number;

  @Field(() => Float, {
    description:
      'The similarity of query and card, from 0 to 1: the weighted mean over the lanes for which the card has a text, minus avoided similarity. If the hit was reranked: 0.7 times that, plus 0.3 times the sigmoid of the logit.',
  })
  score!: number;

  @Field(() => VerdictEnum, { description: 'How the hit is related to the query, derived from its lanes.' })
  verdict!: Verdict;

  @Field(() => [LaneScore], {
    description:
      'Every lane for which the card has a text, with its exact score, and the requested inferred lanes, if labels could be inferred.',
  })
  lanes!: DomainLaneScore[];

  @Field(() => Float, {
    nullable: true,
    description: "The cross-encoder's raw logit; null if the hit was not reranked.",
  })
  rerankLogit!: number | null;

  @Field(() => RecallLayerEnum, {
    nullable: true,
    description: 'The layer that found the hit; null unless the strategy is LAYERED.',
  })
  layer!: RecallLayer | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The threshold step that the hit reached; null if no step applied.',
  })
  threshold!: number | null;
}
