import { expect, test } from 'vitest';
import { ForbiddenError } from '../../../src/domain/errors.js';
import { creatorFor, type Role } from '../../../src/domain/viewer.js';

const viewer = (role: Role) => ({ tenantId: 'north', ownerId: 'someone', role });
const amy = { tenantId: 'north', ownerId: 'amy', role: 'student' };

test('only teachers and admins create a card for a student', () => {
  for (const role of ['student', 'teacher', 'admin'] as const) {
    for (const owner of [null, 'someone']) expect(creatorFor(viewer(role), owner, 'MERGE')).toEqual(viewer(role));
  }
  expect(() => creatorFor(viewer('student'), 'amy', 'KEEP')).toThrow(ForbiddenError);
  expect(creatorFor(viewer('teacher'), 'amy', 'REJECT')).toEqual(amy);
  expect(creatorFor(viewer('admin'), 'amy', 'MERGE')).toEqual(amy);
});

test('a teacher does not merge into the cards of a student', () => {
  expect(() => creatorFor(viewer('teacher'), 'amy', 'MERGE')).toThrow(/only admins may merge/);
});
