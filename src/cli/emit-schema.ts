import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printedSchema } from '../../resolvers/schema.js';
import { packageRoot } from '../config/package-root.js';
import { runCommand } from './run-command.js';

/** `npm run schema`: generates schema.graphql from the resolvers. */
await runCommand(async () => writeFileSync(join(packageRoot(), 'schema.graphql'), printedSchema()));
