import type { MiddlewareFn } from 'type-graphql';
import { refuseStudents } from '../../src/domain/viewer.js';
import type { Context } from '../context.js';

/** For a field, or all fields of a resolver, that tell of the tenant or of others. */
export const forStaff: MiddlewareFn<Context> = async ({ context }, next) => {
  refuseStudents(context.viewer);
  return next();
};
