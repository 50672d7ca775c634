import { StartupError } from '../src/domain/errors.js';

/**
 * How long opening a connection, or waiting for one of the pool, may take, in ms; then the server counts as
 * unavailable.
 */
export const CONNECT_TIMEOUT_MS = 5_000;

export interface DatabaseAddress {
  /** For pg's Client and Pool. */
  readonly connection: {
    readonly connectionString: string;
    readonly connectionTimeoutMillis: number;
    readonly keepAlive: true;
    readonly application_name: string;
  };
  /** The value of `?schema=`, or `public`, as in Prisma. */
  readonly schema: string;
  /** `host:port/database`, for messages; without the password. */
  readonly where: string;
}

/** Parameters that pg, or the schema, would be without if their names were spelled in another way. */
const PARAMETERS: ReadonlySet<string> = new Set(['schema', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']);

/** Values of `?ssl=`. pg takes any other one for an object of options, and ends the process. */
const SSL: readonly (string | null)[] = [null, '', 'true', '1', '0', 'no-verify'];

/**
 * Reads a `postgresql://` URL with Prisma's `?schema=`. Every session it opens has that schema as its search path, so
 * that raw SQL and Prisma's own queries mean the same tables, and UTC as its time zone, because the driver adapter
 * sends dates without one. JIT is off: PostgreSQL overestimates the count of a filter's matches, and would compile it
 * for longer than it runs. StartupError (78) for an invalid URL.
 */
export function databaseAddress(url: string): DatabaseAddress {
  if (!URL.canParse(url)) throw new StartupError('DATABASE_URL is not a URL', 78);
  // pg encodes the whole URL once more, options included, if any % in it is not followed by two digits.
  const parsed = new URL(url.replaceAll(/%(?![\da-f]{2})/gi, '%25'));
  if (!isUtf8(parsed.href)) {
    throw new StartupError('DATABASE_URL: a percent-encoded character is not UTF-8: write é as %C3%A9, % as %25', 78);
  }
  for (const name of parsed.searchParams.keys()) {
    const meant = name.toLowerCase().replaceAll(/[-_]/g, '');
    if (name !== meant && PARAMETERS.has(meant)) {
      throw new StartupError(`DATABASE_URL: the parameter ${name} has no effect: is ${meant} meant?`, 78);
    }
  }
  if (!SSL.includes(parsed.searchParams.get('ssl'))) {
    throw new StartupError(
      'DATABASE_URL: use sslmode=verify-full, no-verify or disable instead of this value of ssl',
      78,
    );
  }
  const schema = parsed.searchParams.get('schema') || 'public';
  // Prisma does not escape quotation marks in names.
  if (schema.includes('"')) throw new StartupError('the schema in DATABASE_URL must not contain a quotation mark', 78);
  const searchPath = `-c search_path=${escapeOption(`"${schema}"`)}`;
  const options = [parsed.searchParams.get('options'), searchPath, '-c TimeZone=UTC', '-c jit=off'];
  parsed.searchParams.delete('schema');
  // pg treats these modes alike, and prints six lines to standard error that a later version will not.
  const hasWeakerMode = ['prefer', 'require', 'verify-ca'].includes(parsed.searchParams.get('sslmode') ?? '');
  if (hasWeakerMode && !parsed.searchParams.has('uselibpqcompat')) parsed.searchParams.set('sslmode', 'verify-full');
  parsed.searchParams.set('options', options.filter((option) => option !== null).join(' '));
  const host = parsed.searchParams.get('host') ?? decodeURIComponent(parsed.hostname);
  return {
    connection: {
      connectionString: parsed.href,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'errata',
    },
    schema,
    where: `${host}:${parsed.port || '5432'}${decodeURIComponent(parsed.pathname)}`,
  };
}

/** Whether pg can decode the percent-encoded characters. */
function isUtf8(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

/** PostgreSQL splits start-up options at spaces, unless a backslash escapes them. */
function escapeOption(value: string): string {
  return value.replaceAll(/[\\ ]/g, '\\$&');
}
