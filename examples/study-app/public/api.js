/** Everything that the app asks of Errata. */
const CARD = `fragment Card on MistakeCard {
  id questionText studentSolutionText goldSolutionBrief subject grade topicTags errorTypes occurrences }`;
const HITS = '{ hits { verdict card { ...Card } } }';

export const SUGGESTIONS = `query Suggestions($text: String!) {
  suggestTags(text: $text, first: 8) { tag perspective }
  similarQuestions(text: $text, topK: 1) { hits { verdict card { id questionText } } } }`;
export const ADD_MISTAKE = `mutation AddMistake($input: CreateCardInput!, $onDuplicate: OnDuplicate!) {
  createCard(input: $input, onDuplicate: $onDuplicate, waitForIndex: true) { id } }`;
export const MISTAKE = `${CARD} query Mistake($id: ID!) {
  card(id: $id) { ...Card }
  similarQuestions(cardId: $id, topK: 4) ${HITS}
  byError(cardId: $id, topK: 8) ${HITS} }`;
export const NOTEBOOK = `${CARD} query Notebook($after: String) {
  cards(after: $after, first: 12) { totalCount nodes { ...Card } pageInfo { hasNextPage endCursor } } }`;
export const SEARCH = `${CARD} query Search($text: String!) {
  hybridSearch(text: $text, topK: 12, weights: { question: 0.4, concept: 0.3, error: 0.3 }) ${HITS} }`;
export const SET_ZONE = `mutation SetZone($zone: String!) { savePracticeSettings(input: { timeZone: $zone }) { timeZone } }`;
export const TODAY = `${CARD} query Today {
  practiceSettings { timeZone } reviewForecast(days: 1) { reviews }
  dueCards(first: 20) { totalCount dueReviews doneToday nodes { card { ...Card } review { due } successProbability } } }`;
export const HINT = `${CARD} query Hint($id: ID!) {
  tutoringContext(cardId: $id, mode: HINT_1) { hypotheses { errorType } sources { verdict card { ...Card } } } }`;
export const RECORD = `mutation Record($attempt: AttemptInput!) {
  recordAttempts(attempts: [$attempt]) { outcome review { due } } }`;

/** What a busy gateway refuses: docs/clients.md. It is sent again at most three times, if that is safe. */
const TEMPORARY = ['RATE_LIMITED', 'UNAVAILABLE', 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED'];
/** The codes of a field without such a card, or without a text to search by. */
export const NO_SUBJECT = ['NOT_FOUND', 'BAD_USER_INPUT'];

/** The data of an operation; throws its first error. Null if its code is `expected`. A `key` makes a mutation repeatable. */
export async function ask(query, variables = {}, options = {}) {
  const { signal = null, key = '', isSafe = key !== '' || !/^mutation/m.test(query), retries = 3, expected = [] } = options;
  const headers = { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) };
  const body = JSON.stringify({ query, variables, onError: 'NULL' });
  const { data, errors = [] } = await (await fetch('/graphql', { method: 'POST', headers, body, signal })).json();
  const error = errors.find(({ extensions }) => !data || !expected.includes(extensions?.code));
  if (!error) return data;
  const { message, extensions = {} } = error;
  if (retries === 0 || !isSafe || !TEMPORARY.includes(extensions.code)) throw new Error(message);
  await new Promise((resolve) => setTimeout(resolve, Math.max(4_000 / 2 ** retries, extensions.retryAfterMs ?? 0)));
  return ask(query, variables, { ...options, retries: retries - 1 });
}
