import { ForbiddenError } from '../domain/errors.js';
import type { Viewer } from '../domain/viewer.js';

/** Golden sets, evaluations and search settings are the school's: ForbiddenError for a student. */
export function refuseStudents({ role }: Viewer): void {
  if (role === 'student') throw new ForbiddenError('only teachers and administrators of the school may do this');
}
