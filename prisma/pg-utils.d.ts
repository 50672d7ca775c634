/** Used by pg's own extensions; @types/pg does not declare it. */
declare module 'pg/lib/utils.js' {
  /** The text, bytes or null that PostgreSQL is sent for a value. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
