import { SOURCE_TEXT_FIELDS } from '../domain/tutoring.js';

/** What tells which cards ask one question. */
const QUESTION = '{ id questionText choices }';
const SEARCH = `(text: $text, topK: $topK, filter: $filter, profile: $profile, options: $options) { hits { card ${QUESTION} } pageInfo { hasNextPage } }`;
const SEARCH_VARIABLES = '($text: String, $topK: Int, $filter: CardFilter, $profile: String, $options: SearchOptions)';

const SETTINGS = `{
  weights { question solution concept error }
  lexicalShare inferredWeight fusion thresholdSteps minResults profilePower voteShare diversity expandWith
}`;
const PAGE_INFO = 'pageInfo { hasNextPage endCursor }';

/**
 * All GraphQL operations of the command line, by name. A gateway with an OPERATIONS_FILE accepts these too, from
 * callers with the required rights.
 */
export const COMMAND_OPERATIONS = {
  similarQuestions: `query ${SEARCH_VARIABLES} { found: similarQuestions${SEARCH} }`,
  bySolution: `query ${SEARCH_VARIABLES} { found: bySolution${SEARCH} }`,
  byConcept: `query ${SEARCH_VARIABLES} { found: byConcept${SEARCH} }`,
  byError: `query ${SEARCH_VARIABLES} { found: byError${SEARCH} }`,
  hybridSearch: `query ${SEARCH_VARIABLES} { found: hybridSearch${SEARCH} }`,

  tutor: `subscription ($input: TutorInput!) {
  tutor(input: $input) {
    __typename
    ... on TutorContextEvent {
      context {
        tokens question
        sources { label text verdict card { id ${SOURCE_TEXT_FIELDS.join(' ')} } }
      }
    }
    ... on TutorDelta { text }
    ... on TutorDone { answerTokens wasAskedAgain }
    ... on TutorRefused { refusal }
    ... on TutorFailed { errorCode message }
  }
}`,

  createCard: 'mutation ($input: CreateCardInput!) { createCard(input: $input) { id } }',
  indexStatus: '{ indexStatus { pending failed } }',
  importJob: `query ($id: ID!) {
  importJob(id: $id) {
    id name state problem notices total read created updated merged skipped failed createdAt finishedAt
  }
}`,
  cancelImport: 'mutation ($id: ID!) { cancelImport(id: $id) { name state read total } }',
  importProblems: `query ($id: ID!, $after: String) {
  importJob(id: $id) {
    rowProblems(first: 100, after: $after) { nodes { failed sheet row column reason content } ${PAGE_INFO} }
  }
}`,

  viewer: '{ viewer { ownerId } }',
  dueQuestions: `query ($first: Int) { dueCards(first: $first) { nodes { card ${QUESTION} } totalCount } }`,
  ladderQuestions: `query ($fromCardId: ID, $topicTag: String, $errorType: String, $first: Int) {
  practiceLadder(fromCardId: $fromCardId, topicTag: $topicTag, errorType: $errorType, first: $first) { rungs { card ${QUESTION} } }
}`,
  fingerprintQuestions: `query ($owner: ID) { mistakeFingerprint(owner: $owner) { mostWorth { cards ${QUESTION} } } }`,
  classQuestions: `query ($group: String) {
  classOverview(group: $group) { minStudents questions { card ${QUESTION} } }
}`,
  attempts: `query ($owner: ID, $after: String) {
  attempts(owner: $owner, first: 100, after: $after) {
    ${PAGE_INFO}
    nodes { key ownerId cardId reviewOf at correct hints durationMs changedAnswer answer }
  }
}`,
  recordAttempts:
    'mutation ($attempts: [AttemptInput!]!) { recorded: recordAttempts(attempts: $attempts) { outcome } }',

  goldenSets: `query ($after: String) {
  goldenSets(first: 100, after: $after) { cursor name description caseCount judgedCaseCount judgementCount }
}`,
  goldenCases: `query ($name: String!, $after: String) {
  goldenSet(name: $name) {
    goldenCases(first: 25, after: $after) {
      ${PAGE_INFO}
      nodes {
        id operation text cardId perspective reason relevant { cardId grade reason }
        filter {
          grades subjects difficultyMin difficultyMax topicTags errorTypes allTopicTags allErrorTypes qualityGrades
          owners sources languages hasSolution unlabelled occurredAfter occurredBefore excludeCardIds metadata { key value }
        }
      }
    }
  }
}`,
  saveGoldenSet: 'mutation ($input: SaveGoldenSetInput!) { saveGoldenSet(input: $input) { name } }',
  addGoldenCase: 'mutation ($set: String!, $case: GoldenCaseInput!) { addGoldenCase(set: $set, case: $case) { name } }',
  deleteGoldenSet: 'mutation ($name: String!) { deleted: deleteGoldenSet(name: $name) }',
  zeroResultSearches: `query ($after: DateTime, $first: Int) {
  zeroResultSearches(after: $after, first: $first) { operation text searches lastAt }
}`,

  searchProfiles: `{
  searchProfiles {
    name description settings ${SETTINGS}
  }
}`,
  saveSearchProfile: 'mutation ($input: SearchProfileInput!) { saveSearchProfile(input: $input) { name } }',
  deleteSearchProfile: 'mutation ($name: String!) { deleted: deleteSearchProfile(name: $name) }',

  evaluate: `mutation ($set: String!, $profile: String, $against: String, $tune: String, $k: Int) {
  evaluate(set: $set, profile: $profile, against: $against, tune: $tune, k: $k) { id }
}`,
  evaluation: 'query ($id: ID!) { evaluation(id: $id) { state done total error } }',
  evaluationReport: 'query ($id: ID!) { evaluation(id: $id) { reportJson } }',
} as const;

export type CommandOperation = keyof typeof COMMAND_OPERATIONS;
