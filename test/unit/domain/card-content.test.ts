import { expect, test } from 'vitest';
import { CONTENT_FIELDS, LASTING_FIELDS, OCCURRENCE_FIELDS } from '../../../src/domain/card-content.js';

test('a field of a card belongs to the mistake or to one occurrence of it', () => {
  expect([...LASTING_FIELDS, ...OCCURRENCE_FIELDS].sort()).toEqual([...CONTENT_FIELDS].sort());
});
