import { Field, Float, Int, ObjectType } from 'type-graphql';
import type { Card } from '../src/domain/card.js';
import type { Perspective } from '../src/domain/perspective.js';
import type { RecallLayer } from '../src/domain/search.js';
import type { LaneScore as DomainLaneScore, Verdict } from '../src/domain/search-result.js';
import { MistakeCard } from './card.type.js';
import { LaneKindEnum, PerspectiveEnum, RecallLayerEnum, VerdictEnum } from './enums.js';

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

@ObjectType({ description: 'A card that was found, with the reasons.', simpleResolvers: true })
export class SearchHit {
  @Field(() => MistakeCard, { description: 'The card as it is now.' })
  card!: Card;

  @Field(() => Int, { description: 'The place of the hit: 1 is best.' })
  rank!: number;

  @Field(() => Float, {
    description:
      'How alike query and card are, from 0 to 1: the weighted mean over the lanes that the card has a text for, less what is avoided. Where a cross-encoder had its say: 0.7 times that, and 0.3 times the sigmoid of its logit.',
  })
  score!: number;

  @Field(() => VerdictEnum, { description: 'Why the hit is worth practising, read from its lanes.' })
  verdict!: Verdict;

  @Field(() => [LaneScore], {
    description:
      'Every lane that the card has a text for, scored exactly, and the inferred lanes that were asked for where anything could be inferred.',
  })
  lanes!: DomainLaneScore[];

  @Field(() => Float, {
    nullable: true,
    description: "The cross-encoder's raw logit; null where the hit was not reranked.",
  })
  rerankLogit!: number | null;

  @Field(() => RecallLayerEnum, {
    nullable: true,
    description: 'The layer that admitted the hit; null where the search was not layered.',
  })
  layer!: RecallLayer | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The threshold step that admitted the hit; null where no step applied.',
  })
  threshold!: number | null;
}
