/**
 * Who may import what. A folder may import itself, the folders and the packages of its row, and Node's own modules
 * where `node` is true. Type imports count. The layers: a pure core, use cases, edges that each know one
 * third party, one composition root. `test/unit/imports.test.ts` holds the table, refuses import cycles, and reports permissions that
 * nothing uses. The studio, which the parser of this tool cannot read, imports a list of modules that say what files look like:
 * `test/unit/studio/imports.test.ts`.
 */
export const TABLE = {
  // The core: types and algorithms. It is given its collaborators as ports (src/domain/ports).
  'src/domain': { packages: ['zod'], node: true },
  'src/config': { folders: ['src/domain'], packages: ['zod'], node: true },
  'src/text': { folders: ['src/config', 'src/domain'], packages: ['@node-rs/jieba', 'lru-cache'], node: true },
  'src/lexical': { folders: ['src/config', 'src/domain', 'src/text'], node: true },
  'src/fsrs': { folders: ['src/domain'], packages: ['ts-fsrs'] },
  'src/vectors': { folders: ['src/domain', 'src/lexical'], packages: ['lmdb', 'lru-cache'], node: true },
  'src/scoring': { folders: ['src/domain', 'src/lexical'], node: true },
  'src/search': { folders: ['src/domain', 'src/lexical', 'src/text'], packages: ['lru-cache'] },
  'src/indexing': { folders: ['src/domain'] },
  // Use cases.
  'src/exchange': {
    folders: ['src/domain', 'src/runtime', 'src/text'],
    packages: ['katex', 'lru-cache', 'saxes', 'yauzl', 'yazl'],
    node: true,
  },
  'src/evaluation': {
    folders: ['prisma', 'src/domain', 'src/lexical', 'src/observability', 'src/runtime', 'src/search'],
    packages: ['lru-cache'],
  },
  'src/tutoring': {
    folders: ['src/domain', 'src/http', 'src/search', 'src/text'],
    packages: ['gpt-tokenizer'],
    node: true,
  },
  'src/practice': { folders: ['prisma', 'src/domain', 'src/fsrs', 'src/search', 'src/text'] },
  // Edges.
  prisma: {
    folders: ['src/config', 'src/domain', 'src/fsrs', 'src/text'],
    packages: ['@prisma/adapter-pg', 'pg'],
    node: true,
  },
  chroma: { folders: ['src/domain', 'src/runtime'], packages: ['chromadb', 'undici'], node: true },
  resolvers: {
    folders: ['src/domain', 'src/evaluation', 'src/exchange', 'src/http', 'src/practice', 'src/search'],
    packages: [
      '@apollo/server',
      '@as-integrations/fastify',
      'dataloader',
      'fastify',
      'graphql',
      'graphql-scalars',
      'lru-cache',
      'reflect-metadata',
      'type-graphql',
    ],
    node: true,
  },
  'src/models': {
    folders: ['src/config', 'src/domain', 'src/runtime', 'src/text', 'src/vectors'],
    packages: ['@huggingface/transformers', 'dataloader', 'eventsource-parser', 'lmdb', 'lru-cache', 'zod'],
    node: true,
  },
  'src/access': { folders: ['src/config', 'src/domain'], packages: ['jose', 'lru-cache', 'zod'], node: true },
  'src/mcp': {
    folders: ['src/access', 'src/config', 'src/domain', 'src/http'],
    packages: ['@modelcontextprotocol/sdk', 'fastify', 'graphql'],
    node: true,
  },
  'src/http': { folders: ['src/domain'], packages: ['fastify'], node: true },
  'src/observability': {
    folders: ['src/config', 'src/domain', 'src/http', 'src/search'],
    packages: ['@opentelemetry/*', 'lru-cache', 'pino', 'pino-pretty', 'prom-client'],
    node: true,
  },
  // The process.
  'src/runtime': {
    folders: ['chroma', 'src/access', 'src/config', 'src/domain', 'src/http', 'src/indexing', 'src/models'],
    packages: ['pg'],
    node: true,
  },
  'src/cli': {
    folders: ['*'],
    packages: ['commander', 'eventsource-parser'],
    node: true,
  },
  'src/(app|main).ts': { folders: ['*'], packages: ['pino'] },
};

const escaped = (path) => path.replaceAll('.', '\\.');
const folderPattern = (folder) =>
  folder === '*' ? '^(src|prisma|chroma|resolvers)/' : `^${escaped(folder)}${folder.endsWith('.ts') ? '$' : '/'}`;
const packagePattern = (name) => `(^|/)node_modules/${escaped(name).replace('/*', '/')}`;

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: 'prisma/generated' } },
    {
      name: 'no-unknown-folder',
      severity: 'error',
      from: { pathNot: Object.keys(TABLE).map(folderPattern) },
      to: { pathNot: '^$' },
    },
    ...Object.entries(TABLE).map(([folder, { folders = [], packages = [], node = false }]) => ({
      name: `imports-of-${folder}`,
      severity: 'error',
      from: { path: folderPattern(folder) },
      to: {
        pathNot: [folder, ...folders].map(folderPattern).concat(packages.map(packagePattern)),
        ...(node && { dependencyTypesNot: ['core'] }),
      },
    })),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'prisma/generated' },
  },
};
