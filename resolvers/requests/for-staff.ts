import type { MiddlewareFn } from 'type-graphql';
import { refuseStudents } from '../../src/domain/viewer.js';
import type { Context } from '../context.js';

/** For fields, or all fields of a resolver, that show or change data of other owners or of the tenant. */
export const forStaff: MiddlewareFn<Context> = async ({ context }, next) => {
  refuseStudents(context.viewer);
  return next();
};
