/**
 * Generates the types of the page's operations, and bundles studio/ into dist/studio: file names have hashes, and each
 * text file also exists as .br and .gz; and the list of the page's operations. A separate process (started by
 * studio.mjs), because Vite sets NODE_ENV, which the gateway reads.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { build } from 'vite';
import { writeOperations } from '../studio-operations.mjs';
import { root } from './root.mjs';

const source = join(root, 'studio');
const target = join(root, 'dist', 'studio');

/** Files worth compressing; fonts already are. */
const TEXTS = /\.(js|css|svg)$/;

/** Of 11: the best two take three times as long and save 3 %. */
const BROTLI_QUALITY = 9;

const operations = await writeOperations();

await build({
  configFile: false,
  root: source,
  base: './',
  mode: 'production',
  logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { alias: { 'react-style-singleton': join(source, 'developers', 'no-inline-style.ts') } },
  plugins: [withoutFontsNobodyLoads()],
  build: {
    outDir: target,
    emptyOutDir: true,
    assetsDir: 'studio',
    // The policy of the page has no `data:` for fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4_000,
    target: 'es2022',
    rolldownOptions: { input: [join(source, 'index.html'), join(source, 'graphiql.html')] },
  },
});
await compress(join(target, 'studio'));
// The documents that the page sends, as they are in the bundle: for OPERATIONS_STUDIO.
writeFileSync(join(target, 'operations.json'), JSON.stringify(operations));

/**
 * Every browser that runs the page reads WOFF2; GraphiQL's style sheet carries fonts in itself, which the policy
 * refuses.
 */
function withoutFontsNobodyLoads() {
  return {
    name: 'without-fonts-nobody-loads',
    enforce: /** @type {const} */ ('pre'),
    /** @param {string} code @param {string} id */
    transform(code, id) {
      if (/katex(\.min)?\.css$/.test(id)) return code.replace(/,\s*url\([^)]+\.(woff|ttf)\)\s*format\([^)]+\)/g, '');
      if (/graphiql.*\.css$/.test(id)) return code.replace(/@font-face\s*{[^}]*}/g, '');
      return null;
    },
  };
}

/** @param {string} folder */
async function compress(folder) {
  const files = readdirSync(folder).filter((name) => TEXTS.test(name));
  await Promise.all(
    files.map(async (name) => {
      const path = join(folder, name);
      const text = readFileSync(path);
      const params = { [zlib.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [zlib.BROTLI_PARAM_SIZE_HINT]: text.length };
      const [br, gz] = await Promise.all([
        promisify(brotliCompress)(text, { params }),
        promisify(gzip)(text, { level: 9 }),
      ]);
      writeFileSync(`${path}.br`, br);
      writeFileSync(`${path}.gz`, gz);
    }),
  );
}
