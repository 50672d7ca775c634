import { hrefWith } from '../app/href.js';
import type { CardFilter } from '../generated/operations.js';
import { DIFFICULTIES, QUALITY } from '../ui/card-values.js';
import { type Asked, NOTHING_ASKED, OPERATION_NAMES, RESULT_COUNTS, withField } from './state.js';

const LISTS = ['subjects', 'grades', 'topicTags', 'errorTypes', 'owners'] as const;
const LEVELS = ['difficultyMin', 'difficultyMax'] as const;

/** The filter in an address. An address may be typed: what it cannot mean is left out. */
export function filterOf(params: URLSearchParams): CardFilter {
  const grades = params.getAll('qualityGrades').flatMap((given) => QUALITY.filter((grade) => grade === given));
  let filter = withField({}, 'qualityGrades', grades);
  for (const field of LISTS) filter = withField(filter, field, params.getAll(field));
  for (const field of LEVELS) {
    filter = withField(
      filter,
      field,
      DIFFICULTIES.find((level) => String(level) === params.get(field)),
    );
  }
  return filter;
}

/** A filter as parameters of an address, in whatever order its fields were set. */
export function filterParams(filter: CardFilter): Readonly<Record<string, readonly string[]>> {
  const fields = Object.entries(filter).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([field, value]) => [field, [value].flat().map(String)]));
}

export function askedOf(params: URLSearchParams): Asked {
  const cardId = params.get('card') || null;
  return {
    operation: OPERATION_NAMES.find((name) => name === params.get('operation')) ?? NOTHING_ASKED.operation,
    text: cardId === null ? (params.get('q') ?? '') : '',
    cardId,
    filter: filterOf(params),
    topK: RESULT_COUNTS.find((count) => String(count) === params.get('topK')) ?? NOTHING_ASKED.topK,
  };
}

export function searchAddress({ operation, text, cardId, filter, topK }: Asked): string {
  return hrefWith('search', {
    ...(cardId !== null ? { card: cardId } : text.trim() !== '' && { q: text }),
    ...(operation !== NOTHING_ASKED.operation && { operation }),
    ...(topK !== NOTHING_ASKED.topK && { topK: String(topK) }),
    ...filterParams(filter),
  });
}
