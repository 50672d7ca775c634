import { Command } from 'commander';
import type { JobReport } from './import-progress.js';
import { oneLine, print } from './terminal.js';
import { URL_OPTION, withGateway } from './with-gateway.js';

/** `errata cancel-import ID` */
export function cancelImportCommand(): Command {
  return new Command('cancel-import')
    .description('End an import that is under way; what it has stored stays.')
    .argument('<id>', 'the id of the import')
    .option(...URL_OPTION)
    .action((id: string, options: { readonly url?: string }) =>
      withGateway(options, async (client) => {
        const { cancelImport: job } = await client.ask<{ cancelImport: JobReport }>('cancelImport', { id });
        const rows = job.total === null ? '' : `, ${job.read} of ${job.total} rows were dealt with`;
        print(oneLine(`${job.name}: ${job.state.toLowerCase()}${rows}`));
      }),
    );
}
