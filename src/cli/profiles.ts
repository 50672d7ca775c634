import { Command } from 'commander';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { parseProfile } from '../domain/parse/profile.js';
import type { SearchProfile } from '../domain/profile.js';
import { BUILTIN_SETTINGS } from '../search/profile.js';
import type { GatewayClient } from './gateway-client.js';
import { readJson } from './read-file.js';
import { oneLine, print } from './terminal.js';
import { type GatewayOptions, URL_OPTION, withGateway } from './with-gateway.js';

export function profilesCommand(): Command {
  const profiles = new Command('profiles').description('Manage search profiles: named search settings.');
  profiles
    .command('list')
    .description('list the search profiles')
    .option(...URL_OPTION)
    .action((options: GatewayOptions) =>
      withGateway(options, async (client) => {
        for (const { name, description } of await listProfiles(client)) {
          print(oneLine(`${name}${description === null ? '' : `: ${description}`}`));
        }
      }),
    );
  profiles
    .command('show')
    .description('print a search profile in the format that save reads')
    .argument('<name>', 'the profile')
    .option(...URL_OPTION)
    .action((name: string, options: GatewayOptions) =>
      withGateway(options, async (client) => {
        const found = (await listProfiles(client)).find((profile) => profile.name === name);
        if (found === undefined)
          throw new StartupError(`there is no search profile ${JSON.stringify(name)}`, EXIT.failed);
        print(JSON.stringify(found, null, 2));
      }),
    );
  profiles
    .command('save')
    .description('create or replace a search profile from a .json file')
    .argument('<file>', 'file with name, description and settings')
    .option(...URL_OPTION)
    .action(async (file: string, options: GatewayOptions) => {
      const profile = await readProfileFile(file);
      await withGateway(options, (client) => saveProfile(client, profile));
      print(oneLine(`${profile.name} is saved`));
    });
  profiles
    .command('delete')
    .description('delete a search profile')
    .argument('<name>', 'the profile')
    .option(...URL_OPTION)
    .action((name: string, options: GatewayOptions) =>
      withGateway(options, async (client) => {
        if (!(await deleteProfile(client, name))) {
          throw new StartupError(`there is no search profile ${JSON.stringify(name)}`, EXIT.failed);
        }
      }),
    );
  return profiles;
}

/** A profile as its file has it: the gateway fills in omitted settings, with the defaults of its embedding model. */
interface ProfileFile extends Pick<SearchProfile, 'name' | 'description'> {
  readonly settings: object;
}

/** A profile from a file: `name`, `description` and `settings`. StartupError (66), BadInputError. */
export async function readProfileFile(file: string): Promise<ProfileFile> {
  const written = await readJson(file);
  const { name, description } = parseProfile(written, file, BUILTIN_SETTINGS);
  return { name, description, settings: (written as ProfileFile).settings };
}

async function listProfiles(client: GatewayClient): Promise<readonly SearchProfile[]> {
  return (await client.ask<{ searchProfiles: readonly SearchProfile[] }>('searchProfiles')).searchProfiles;
}

export async function saveProfile(client: GatewayClient, profile: ProfileFile): Promise<void> {
  await client.ask('saveSearchProfile', { input: profile });
}

/** False if there was none of this name. */
export async function deleteProfile(client: GatewayClient, name: string): Promise<boolean> {
  return (await client.ask<{ deleted: boolean }>('deleteSearchProfile', { name })).deleted;
}
