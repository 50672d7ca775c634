import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema, printedSchema } from '../../resolvers/schema.js';
import { packageRoot } from '../../src/config/package-root.js';

/** What clients may rely on, by hand: arguments are those of the type's fields that take any. */
const PROMISED = `
  scalar DateTime
  enum Perspective { QUESTION SOLUTION CONCEPT ERROR }
  enum LaneKind { DENSE LEXICAL INFERRED }
  enum Fusion { WEIGHTED RRF RELATIVE }
  enum RecallStrategy { FUSED LAYERED }
  enum RecallLayer { SEMANTIC STRUCTURE KEYWORD EXPANDED }
  enum Verdict { DUPLICATE SAME_QUESTION_NEW_SKIN SAME_TRAP SAME_IDEA RELATED }
  enum QualityGrade { EXCELLENT GOOD FAIR }
  enum IndexState { PENDING INDEXED FAILED }
  type MistakeCard {
    id: ID! subject: String! grade: String difficulty: Int! questionText: String! studentSolutionText: String
    goldSolutionBrief: String topicTags: [String!]! errorTypes: [String!]! qualityGrade: QualityGrade source: String
    notes: String occurredAt: DateTime! occurrences: Int! createdAt: DateTime! updatedAt: DateTime! revision: Int!
    index: CardIndex!
  }
  type CardIndex {
    state: IndexState! indexedRevision: Int indexedAt: DateTime perspectives: [Perspective!]! lastError: String
  }
  input CardFilter {
    grade: [String!] subject: [String!] difficultyMin: Int difficultyMax: Int topicTags: [String!] errorTypes: [String!]
    qualityGrade: [QualityGrade!] occurredAfter: DateTime occurredBefore: DateTime excludeCardIds: [ID!]
  }
  input PerspectiveWeights { question: Float solution: Float concept: Float error: Float }
  input SearchOptions {
    fusion: Fusion strategy: RecallStrategy lexicalShare: Float minScore: Float thresholdSteps: [Float!] minResults: Int
    diversity: Float rerank: Boolean keywords: [String!] expand: Boolean perLane: Int preferQuality: Boolean
    avoid: PerspectiveWeights
  }
  type LaneScore {
    perspective: Perspective! kind: LaneKind! score: Float! weight: Float! contribution: Float! rank: Int
  }
  type SearchHit {
    card: MistakeCard! rank: Int! score: Float! verdict: Verdict! lanes: [LaneScore!]! rerankLogit: Float
    layer: RecallLayer threshold: Float
  }
  type SearchReceipt {
    requestedTopK: Int! strategy: RecallStrategy! fusion: Fusion! retrievers: [String!]! filterPlan: String! matchedByFilter: Int
    candidates: Int! thresholdsTried: [Float!]! layers: [LayerTrial!]! expandedQuery: String inferredConcepts: [String!]!
    embeddingModel: String! rerankModel: String degraded: [Degradation!]! tookMs: Float! stages: [StageTiming!]!
  }
  type LayerTrial { layer: RecallLayer! admitted: Int! threshold: Float tookMs: Float! }
  type TagSuggestion { tag: String! perspective: Perspective! score: Float! cards: Int! }
  type Degradation { part: String! reason: String! }
  type StageTiming { stage: String! tookMs: Float! }
  type SearchResult { hits: [SearchHit!]! receipt: SearchReceipt! }
  type CardConnection { edges: [CardEdge!]! nodes: [MistakeCard!]! pageInfo: PageInfo! totalCount: Int! }
  type CardEdge { cursor: String! node: MistakeCard! }
  type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
  type CardFacets {
    total: Int! subject: [FacetCount!]! grade: [FacetCount!]! difficulty: [FacetCount!]! topicTag: [FacetCount!]!
    errorType: [FacetCount!]!
  }
  type FacetCount { value: String! count: Int! }
  type IndexStatus {
    cards: Int! indexed: Int! pending: Int! failed: Int! model: String! building: Boolean!
    collections: [CollectionStatus!]!
  }
  type SearchMetrics {
    searches: Int! failed: Int! recent: Int! zeroResultRate: Float degradedRate: Float embeddingCacheHitRate: Float
    operations: [OperationMetrics!]! stages: [StageMetrics!]! filterPlans: [FilterPlanMetrics!]!
  }
  type OperationMetrics { operation: String! searches: Int! p50Ms: Float! p95Ms: Float! p99Ms: Float! }
  type StageMetrics { stage: String! p50Ms: Float! p95Ms: Float! }
  type FilterPlanMetrics { plan: String! searches: Int! }
  type CollectionStatus { perspective: Perspective! records: Int }
  input CreateCardInput {
    id: ID subject: String! grade: String difficulty: Int! questionText: String! studentSolutionText: String
    goldSolutionBrief: String topicTags: [String!] errorTypes: [String!] qualityGrade: QualityGrade source: String
    notes: String occurredAt: DateTime
  }
  input UpdateCardInput {
    subject: String grade: String difficulty: Int questionText: String studentSolutionText: String
    goldSolutionBrief: String topicTags: [String!] errorTypes: [String!] qualityGrade: QualityGrade source: String
    notes: String occurredAt: DateTime
  }
  type Query {
    card(id: ID!): MistakeCard
    cards(filter: CardFilter, first: Int = 20, after: String): CardConnection!
    similarQuestions(text: String, cardId: ID, topK: Int = 5, filter: CardFilter, options: SearchOptions): SearchResult!
    bySolution(text: String, cardId: ID, topK: Int = 5, filter: CardFilter, options: SearchOptions): SearchResult!
    byConcept(text: String, cardId: ID, topK: Int = 5, filter: CardFilter, options: SearchOptions): SearchResult!
    byError(text: String, cardId: ID, topK: Int = 5, filter: CardFilter, options: SearchOptions): SearchResult!
    hybridSearch(
      text: String cardId: ID weights: PerspectiveWeights topK: Int = 5 filter: CardFilter options: SearchOptions
    ): SearchResult!
    suggestTags(text: String!, first: Int = 5): [TagSuggestion!]!
    facets(filter: CardFilter): CardFacets!
    indexStatus: IndexStatus!
    searchMetrics: SearchMetrics!
  }
  type Mutation {
    createCard(input: CreateCardInput!, waitForIndex: Boolean = false): MistakeCard!
    updateCard(id: ID!, input: UpdateCardInput!, expectedRevision: Int, waitForIndex: Boolean = false): MistakeCard!
    deleteCard(id: ID!, waitForIndex: Boolean = false): Boolean!
    rebuildIndex: IndexStatus!
  }
`;

const schema = createSchema([]);

describe('the schema', () => {
  test('schema.graphql is up to date with the resolvers; otherwise run `npm run schema`', () => {
    expect(readFileSync(join(packageRoot(), 'schema.graphql'), 'utf8')).toBe(printedSchema());
  });

  test('every type, field, argument, default and value of the contract exists', () => {
    const promised = shapeOf(Object.values(buildSchema(PROMISED).getTypeMap()));
    expect(shapeOf(Object.values(schema.getTypeMap()))).toEqual(expect.arrayContaining(promised));
  });

  test('every type, field, argument and value is described in sentences', () => {
    const undescribed = described(Object.values(schema.getTypeMap()))
      .filter(([, description]) => !/^[A-Z].*\.$/s.test(description ?? ''))
      .map(([name]) => name);
    expect(undescribed).toEqual([]);
  });
});

/** One line for everything that the types declare: `Query.cards(first): Int = 20`. */
function shapeOf(types: readonly GraphQLNamedType[]): string[] {
  return types
    .filter((type) => !isIntrospectionType(type))
    .flatMap((type) => {
      if (isEnumType(type)) return type.getValues().map(({ name }) => `enum ${type.name}.${name}`);
      if (isInputObjectType(type)) {
        return Object.values(type.getFields()).map((field) => `input ${type.name}.${field.name}: ${field.type}`);
      }
      if (!isObjectType(type)) return [`${type.name}`];
      return Object.values(type.getFields()).flatMap((field) => [
        `type ${type.name}.${field.name}: ${field.type}`,
        ...field.args.map(
          (arg) => `type ${type.name}.${field.name}(${arg.name}): ${arg.type} = ${JSON.stringify(arg.defaultValue)}`,
        ),
      ]);
    });
}

type Described = readonly [name: string, description: string | null | undefined];

function described(types: readonly GraphQLNamedType[]): Described[] {
  return types
    .filter((type) => !isIntrospectionType(type))
    .flatMap((type) => [
      [type.name, type.description] as const,
      ...(isEnumType(type)
        ? type.getValues()
        : isObjectType(type) || isInputObjectType(type)
          ? fieldsOf(type)
          : []
      ).flatMap((member) => [
        [`${type.name}.${member.name}`, member.description] as const,
        ...argsOf(member).map((arg) => [`${type.name}.${member.name}(${arg.name})`, arg.description] as const),
      ]),
    ]);
}

type Member = {
  readonly name: string;
  readonly description?: string | null;
  readonly args?: readonly GraphQLArgument[];
};

function fieldsOf(type: { getFields(): Readonly<Record<string, Member>> }): readonly Member[] {
  return Object.values(type.getFields());
}

/** The arguments of a field; an input's field and an enum's value have none. */
function argsOf({ args = [] }: Member): readonly GraphQLArgument[] {
  return args;
}
