import { Command, InvalidArgumentError, Option } from 'commander';
import { databaseAddress } from '../../prisma/address.js';
import { newApiKey } from '../access/api-key.js';
import type { Config } from '../config/settings.js';
import { BadInputError, StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { DAY_MS } from '../domain/local-day.js';
import { MAX_DAYS, parseCaller } from '../domain/parse/api-key.js';
import type { ApiKey, ApiKeyStore } from '../domain/ports/callers.js';
import { type Caller, ROLES, SCOPES } from '../domain/viewer.js';
import { withDatabase } from './database.js';
import { nameOfKey } from './option-parsers.js';
import { settings } from './settings.js';
import { print, printError } from './terminal.js';

/** commander reads null as no value. */
const NEVER = Number.POSITIVE_INFINITY;

interface CreateOptions {
  readonly tenant: string;
  readonly owner: string;
  readonly role: string;
  readonly scopes: readonly string[];
  readonly name: string;
  readonly days: number;
}

/** `errata keys create|list|revoke`: API keys of a gateway with API_KEYS=true. */
export function keysCommand(): Command {
  const run = (work: (keys: ApiKeyStore) => Promise<void>): Promise<void> => {
    const config = settings();
    return withDatabase(config, async (database) => {
      const { PostgresApiKeys } = await import('../../prisma/api-keys.js');
      printError(`Database: ${placeOf(config)}`);
      await work(new PostgresApiKeys(database));
    });
  };
  const keys = new Command('keys').description('Create, list and revoke API keys.');
  keys
    .command('create')
    .description('create a key and print it once; only its hash is stored')
    .requiredOption('--owner <id>', 'owner of the cards: the id of the student or teacher in the school')
    .addOption(new Option('--role <role>', 'role of the holder').choices(ROLES).makeOptionMandatory())
    .option('--tenant <id>', 'the school', 'default')
    .option('--name <text>', 'purpose of the key, 1 to 100 characters', nameOfKey, 'unnamed')
    .addOption(
      new Option('--scopes <scope...>', 'scopes of the key').choices(SCOPES).default(['read', 'write'], 'read write'),
    )
    .addOption(
      new Option('--days <number>', 'after how many days it expires; "never" for none')
        .argParser(parseDays)
        .default(90, '90'),
    )
    .action((options: CreateOptions) => {
      const caller = callerOf(options);
      return run((store) => create(store, caller, options));
    });
  keys
    .command('list')
    .description('list the keys, newest first')
    .option('--tenant <id>', 'only keys of this school')
    .action(({ tenant }: { readonly tenant?: string }) => run((store) => list(store, tenant ?? null)));
  keys
    .command('revoke <id>')
    .description('revoke a key; every gateway refuses it within 2 seconds')
    .action((id: string) => run((store) => revoke(store, id)));
  return keys;
}

/** Shows that DATABASE_URL or DATA_DIR is not that of the gateway: its keys would be missing, and new ones refused. */
function placeOf({ database, dataDir }: Config): string {
  return database.kind === 'external' ? databaseAddress(database.url).where : `the embedded one of ${dataDir}`;
}

async function create(store: ApiKeyStore, caller: Caller, options: CreateOptions): Promise<void> {
  const { text, id, secretSha256 } = newApiKey();
  const expiresAt = options.days === NEVER ? null : new Date(Date.now() + options.days * DAY_MS);
  const key = await store.create({ id, ...caller, name: options.name, secretSha256, expiresAt });
  printError(`${describe(key)}\nIt is sent as the header \`Authorization: Bearer <key>\`. The key:`);
  print(text);
}

async function list(store: ApiKeyStore, tenantId: string | null): Promise<void> {
  for (const key of await store.list({ tenantId, ownerId: null })) print(describe(key));
}

async function revoke(store: ApiKeyStore, id: string): Promise<void> {
  if (!(await store.revoke(id))) throw new StartupError(`there is no key with the id ${id}`, EXIT.failed);
  printError(`${id} is revoked`);
}

/** StartupError (64). */
function callerOf({ tenant, owner, role, scopes }: CreateOptions): Caller {
  try {
    return parseCaller({ tenantId: tenant, ownerId: owner, role, scopes });
  } catch (thrown) {
    if (thrown instanceof BadInputError)
      throw new StartupError(`--${thrown.field.replace('Id', '')} ${thrown.problem}`, EXIT.usage, { cause: thrown });
    throw thrown;
  }
}

/** One line for each key; free text is quoted. */
function describe({ id, tenantId, ownerId, role, scopes, name, ...key }: ApiKey): string {
  const moments = [
    `created ${key.createdAt.toISOString()}`,
    key.expiresAt === null ? 'never expires' : `expires ${key.expiresAt.toISOString()}`,
    key.lastUsedAt === null ? 'never used' : `used ${key.lastUsedAt.toISOString()}`,
    ...(key.revokedAt === null ? [] : [`revoked ${key.revokedAt.toISOString()}`]),
  ];
  const [tenant, owner, purpose] = [tenantId, ownerId, name].map((text) => JSON.stringify(text));
  return `${id}  tenant ${tenant}  owner ${owner}  ${role}  ${scopes.join(' ')}  ${purpose}  ${moments.join(', ')}`;
}

function parseDays(text: string): number {
  if (text === 'never') return NEVER;
  const days = Number(text);
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS) {
    throw new InvalidArgumentError(`must be "never", or a whole number from 1 to ${MAX_DAYS}.`);
  }
  return days;
}
