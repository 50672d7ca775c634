import { ForbiddenError } from '../domain/errors.js';
import type { Viewer } from '../domain/viewer.js';

/** Golden sets, evaluations and search settings belong to the tenant: ForbiddenError for a student. */
export function refuseStudents({ role }: Viewer): void {
  if (role === 'student') throw new ForbiddenError('only teachers and administrators may do this');
}
