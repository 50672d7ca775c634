import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printedSchema } from '../../resolvers/schema.js';
import { packageRoot } from '../config/package-root.js';
import { runCommand } from './run-command.js';

/**
 * `npm run schema`: generates schema.graphql from the resolvers. A newer file would make the set-up bundle the studio.
 */
await runCommand(async () => {
  const file = join(packageRoot(), 'schema.graphql');
  const printed = printedSchema();
  if (!existsSync(file) || readFileSync(file, 'utf8') !== printed) writeFileSync(file, printed);
});
