/**
 * How often a property is tried that takes seconds: an eighth in `npm test`, and all in `npm run test:all`,
 * which sets EVERY_RUN.
 */
export function runs(all: number): number {
  return process.env.EVERY_RUN === 'true' ? all : Math.ceil(all / 8);
}
