import { CONTENT_FIELDS, type ContentField } from '../domain/card-content.js';

/** Fields that an agent is not given with every card. */
const ON_REQUEST: ReadonlySet<ContentField> = new Set(['qualityGrade', 'source', 'notes', 'metadata', 'attachments']);

const CARD = `fragment Card on MistakeCard {
  id owner ${CONTENT_FIELDS.filter((field) => !ON_REQUEST.has(field)).join(' ')} occurrences
}`;

const HITS = `fragment Hits on SearchResult {
  hits { rank score verdict card { ...Card } } receipt { inferredConcepts degraded { part reason } }
}
${CARD}`;

const SUBJECT = '$text: String, $cardId: ID, $filter: CardFilter, $topK: Int = 5';
const SEARCH = 'text: $text, cardId: $cardId, filter: $filter, topK: $topK';

/**
 * The GraphQL operations of the tools of `/mcp`, in the order of `tools/list`; each has one root field.
 * `OPERATIONS_FILE` never refuses them.
 */
export const TOOL_OPERATIONS = {
  find_similar_questions: `query FindSimilarQuestions(${SUBJECT}) { similarQuestions(${SEARCH}) { ...Hits } }\n${HITS}`,
  find_same_error: `query FindSameError(${SUBJECT}) { byError(${SEARCH}) { ...Hits } }\n${HITS}`,
  find_by_concept: `query FindByConcept(${SUBJECT}) { byConcept(${SEARCH}) { ...Hits } }\n${HITS}`,
  get_card: `query GetCard($id: ID!) { card(id: $id) { ...Card source notes attachments { kind altText url } revision } }\n${CARD}`,
  suggest_tags: `query SuggestTags($text: String!, $first: Int = 5) {
  suggestTags(text: $text, first: $first) { tag perspective score cards }
}`,
  tutoring_context: `query TutoringContext($text: String, $cardId: ID, $mode: TutoringMode = EXPLAIN, $budgetTokens: Int = 1500) {
  tutoringContext(text: $text, cardId: $cardId, mode: $mode, budgetTokens: $budgetTokens) {
    verdict reason prompt tokens sources { label id text relevance card { id } } hypotheses { errorType posterior }
  }
}`,
  due_cards: `query DueCards($first: Int = 10) {
  dueCards(first: $first) { dueReviews totalCount nodes { successProbability card { ...Card } } }
}
${CARD}`,
  class_overview: `query ClassOverview($group: String, $owners: [ID!], $from: DateTime, $to: DateTime) {
  classOverview(group: $group, owners: $owners, from: $from, to: $to) {
    students suppressed minStudents errors { name students mistakes } topics { name students mistakes }
    questions { students mistakes card { id questionText } }
  }
}`,
} as const;

/**
 * The operations of the tools that change cards and attempts, listed after the others if `MCP_WRITES` is set. None
 * deletes.
 */
export const WRITING_OPERATIONS = {
  create_card: `mutation CreateCard($input: CreateCardInput!, $onDuplicate: OnDuplicate = MERGE) {
  createCard(input: $input, onDuplicate: $onDuplicate) { ...Card revision }
}
${CARD}`,
  update_card: `mutation UpdateCard($id: ID!, $input: UpdateCardInput!, $expectedRevision: Int!) {
  updateCard(id: $id, input: $input, expectedRevision: $expectedRevision) { ...Card revision }
}
${CARD}`,
  record_attempts: `mutation RecordAttempts($attempts: [AttemptInput!]!) {
  recordAttempts(attempts: $attempts) { key cardId outcome review { due } }
}`,
} as const;

const ALL_OPERATIONS = { ...TOOL_OPERATIONS, ...WRITING_OPERATIONS };

export type ToolName = keyof typeof ALL_OPERATIONS;

export function toolOperations(writes: boolean): Readonly<Partial<Record<ToolName, string>>> {
  return writes ? ALL_OPERATIONS : TOOL_OPERATIONS;
}
