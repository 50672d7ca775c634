import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './child.mjs';
import { installed, root } from './root.mjs';

const schema = join(root, 'prisma', 'schema.prisma');
const stamp = join(root, 'prisma', 'generated', '.made-from');

/**
 * Generates the Prisma client if schema.prisma or Prisma's version has changed.
 * @param {(text: string) => void} say
 */
export async function generatePrismaClient(say) {
  const manifest = installed('prisma/package.json');
  if (manifest === null) {
    // Without development packages, the checkout must contain the client.
    if (existsSync(stamp)) return;
    throw new Error('the Prisma client is missing, and the package prisma, which generates it, is not installed');
  }
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  const source = createHash('sha256').update(version).update(readFileSync(schema)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === source) return;
  say('generating the Prisma client');
  const cli = join(manifest, '..', 'build', 'index.js');
  // The command would download a schema engine, which it does not need: naming any existing file prevents that.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' };
  const args = [cli, 'generate', '--schema', schema, '--no-hints'];
  await runChild('prisma generate', process.execPath, args, { cwd: root, env });
  writeFileSync(stamp, source);
}
