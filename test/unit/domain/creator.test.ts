import { expect, test } from 'vitest';
import type { OnDuplicate } from '../../../src/domain/duplicates.js';
import { ForbiddenError } from '../../../src/domain/errors.js';
import { creatorFor, type Role } from '../../../src/domain/viewer.js';

const viewer = (role: Role) => ({ tenantId: 'north', ownerId: 'someone', role });
const cards = (onDuplicate: OnDuplicate) => ({ action: 'create cards', onDuplicate }) as const;
const amy = { tenantId: 'north', ownerId: 'amy', role: 'student' };

test('only teachers and admins create a card for a student', () => {
  for (const role of ['student', 'teacher', 'admin'] as const) {
    for (const owner of [null, 'someone'])
      expect(creatorFor(viewer(role), owner, cards('MERGE'))).toEqual(viewer(role));
  }
  expect(() => creatorFor(viewer('student'), 'amy', cards('KEEP'))).toThrow(ForbiddenError);
  expect(creatorFor(viewer('teacher'), 'amy', cards('REJECT'))).toEqual(amy);
  expect(creatorFor(viewer('admin'), 'amy', cards('MERGE'))).toEqual(amy);
});

test('a teacher does not merge into the cards of a student', () => {
  expect(() => creatorFor(viewer('teacher'), 'amy', cards('MERGE'))).toThrow(/only admins may merge/);
});

test('the message names the action that was refused', () => {
  expect(() => creatorFor(viewer('student'), 'amy', cards('KEEP'))).toThrow(
    'only teachers and admins may create cards for other owners',
  );
  expect(() => creatorFor(viewer('student'), 'amy', { action: 'upload files' })).toThrow(
    'only teachers and admins may upload files for other owners',
  );
});
