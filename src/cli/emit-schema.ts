import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printedSchema } from '../../resolvers/schema.js';
import { packageRoot } from '../config/package-root.js';

/** Writes schema.graphql anew from the resolvers: `npm run schema`. */
writeFileSync(join(packageRoot(), 'schema.graphql'), printedSchema());
