/** One room of the house and everything that it may import from outside itself. */
export interface Room {
  /** A file; or, where it ends in a slash or a star, everything whose path starts so. */
  readonly path: string;
  /** Other rooms, by path. */
  readonly rooms: readonly string[];
  /** npm packages and Node modules; `node:*` is all of the latter. */
  readonly packages: readonly string[];
  /** Packages of which nothing but types may be imported. */
  readonly types?: readonly string[];
  /** What makes the room what it is, and why it needs what is unusual in its row. */
  readonly because: string;
}

/** What every room above the domain speaks: its types, its errors, the ports, and how things are closed. */
const core = ['src/domain/', 'src/errors.ts', 'src/ports/', 'src/lifecycle.ts'];

/**
 * Who may import what. The longest path that fits a file is its row; a file without a row has no place in the house.
 * A third party appears in one row, or the second row says why.
 */
export const house: readonly Room[] = [
  // The ground: imported by everyone, knowing nearly nothing.
  { path: 'src/errors.ts', rooms: [], packages: [], because: 'errors are facts and a code' },
  {
    path: 'src/lifecycle.ts',
    rooms: ['src/errors.ts'],
    packages: [],
    because: 'promises and signals are all it knows',
  },
  {
    path: 'src/root.ts',
    rooms: [],
    packages: ['node:fs', 'node:path', 'node:url'],
    because: 'it looks for package.json, from dist/ as from source',
  },
  {
    path: 'src/config-auth.ts',
    rooms: [],
    packages: ['zod'],
    because: 'the settings that say who is let in; a room of its own for those who let in',
  },
  {
    path: 'src/config.ts',
    rooms: ['src/errors.ts', 'src/config-auth.ts'],
    packages: ['zod', 'node:path'],
    because: 'pure: the environment comes in as an argument',
  },
  {
    path: 'src/domain/',
    rooms: ['src/errors.ts'],
    packages: ['zod', 'node:crypto'],
    because: 'the words of the product; zod parses whatever comes from outside, a hash names the content of a passage',
  },
  {
    path: 'src/ports/',
    rooms: ['src/domain/', 'src/errors.ts'],
    packages: [],
    because: 'interfaces in the words of the domain and its errors, one file for each part that is asked',
  },

  // The pure core: it asks for ports and is given them.
  {
    path: 'src/text/',
    rooms: [...core, 'src/root.ts'],
    packages: ['@node-rs/jieba', 'node:fs', 'node:path'],
    because: 'the words of a text; the word list that it reads once is a file beside it',
  },
  {
    path: 'src/lexical/',
    rooms: ['src/domain/', 'src/ports/', 'src/text/', 'src/scratch.ts'],
    packages: [],
    because: 'BM25 and label profiles in flat arrays: cards and words in, values out',
  },
  {
    path: 'src/search/defaults.ts',
    rooms: ['src/domain/', 'src/ports/'],
    packages: [],
    because: 'chosen numbers; a room of its own, so that the API can use them without knowing how a search works',
  },
  {
    path: 'src/search/bands.ts',
    rooms: ['src/domain/'],
    packages: [],
    because: 'chosen numbers; a room of its own, so that a benchmark can print what they cost',
  },
  {
    path: 'src/search/',
    rooms: [...core, 'src/search/defaults.ts', 'src/search/bands.ts', 'src/lexical/', 'src/scratch.ts'],
    packages: [],
    because: 'the read path: values in, values out, ports for the rest',
  },
  {
    path: 'src/evaluation/',
    rooms: [...core, 'src/lexical/', 'src/percentile.ts'],
    packages: ['node:crypto'],
    because:
      'measures, intervals and reports: arithmetic over lists of hits, with plain BM25 always among them; a hash names the case of a search',
  },
  {
    path: 'src/indexing/',
    rooms: core,
    packages: ['node:timers/promises'],
    because:
      'the write path, with ports for everything outside; loading the words lets others have the thread now and then',
  },
  {
    path: 'src/duplicates/',
    rooms: [...core, 'src/text/'],
    packages: ['node:crypto'],
    because: 'whether two questions are one: texts in, values out; a hash is the key of a question',
  },
  {
    path: 'src/importing/',
    rooms: [...core, 'src/notebooks/', 'src/duplicates/'],
    packages: ['node:*'],
    because: 'rows of files become cards, with ports for what is stored; files wait on the disk until their turn',
  },
  {
    path: 'src/exporting/',
    rooms: [...core, 'src/notebooks/'],
    packages: ['node:stream'],
    because: 'cards become files, page by page',
  },

  // The edges: each is alone in knowing its third party.
  {
    path: 'src/notebooks/',
    rooms: core,
    packages: ['csv-parse', 'katex', 'saxes', 'yauzl', 'yazl', 'node:*'],
    because: 'the only room that knows file formats: tables, JSON and papers, one file a third party',
  },
  {
    path: 'src/models/inference/loaded.ts',
    rooms: [...core, 'src/models/inference/protocol.ts'],
    packages: ['@huggingface/transformers'],
    because:
      'the only file that knows transformers.js: loading it takes a third of a second, and only the inference process does',
  },
  {
    path: 'src/models/inference/protocol.ts',
    rooms: [],
    packages: [],
    because: 'what the gateway and its inference process say to each other',
  },
  {
    path: 'src/models/inference/program.ts',
    rooms: ['src/errors.ts', 'src/models/inference/loaded.ts', 'src/models/inference/protocol.ts'],
    packages: ['node:timers/promises'],
    because: 'a program of its own, forked by the gateway: nobody imports it',
  },
  {
    path: 'src/models/',
    rooms: [
      ...core,
      'src/text/',
      'src/root.ts',
      'src/config.ts',
      'src/embedded/child.ts',
      'src/embedded/supervise.ts',
      'src/embedded/options.ts',
      'src/models/inference/protocol.ts',
    ],
    packages: ['dataloader', 'lmdb', 'lru-cache', 'zod', 'node:*'],
    because:
      'models behind one port: words hashed here, a supervised process, an endpoint; dataloader gathers the texts of concurrent searches, lmdb and lru-cache keep what was embedded, zod reads what hubs and endpoints answer',
  },
  {
    path: 'src/vectors/',
    rooms: [...core, 'src/scratch.ts'],
    packages: ['lmdb', 'lru-cache', 'node:fs', 'node:path'],
    because: 'the local copy of the vectors, on disk and in memory; files of an older form are removed',
  },
  {
    path: 'src/snapshots/',
    rooms: [...core, 'src/root.ts'],
    packages: ['node:*'],
    because: 'copies of the words as files, and the hash of the code that made them; what is in them it does not know',
  },
  {
    path: 'prisma/',
    rooms: [...core, 'src/root.ts'],
    packages: ['@prisma/adapter-pg', 'pg', 'node:*'],
    because: 'the only room that knows Prisma and SQL; migrations are read from disk and recorded with their hash',
  },
  {
    path: 'chroma/',
    rooms: core,
    packages: ['chromadb', 'undici', 'node:crypto'],
    because:
      'the only room that knows how to talk to Chroma; undici limits its connections, a hash names its collections',
  },
  {
    path: 'chroma/server.ts',
    rooms: core,
    packages: ['node:path'],
    because: 'how Chroma is run: its arguments and its bindings, as data; a room of its own for those who run it',
  },
  {
    path: 'chroma/server.child.ts',
    rooms: [...core, 'chroma/server.ts', 'src/embedded/process.ts'],
    packages: ['node:module', 'node:worker_threads'],
    because: 'a program of its own: the server blocks its thread, and its parent must know it again',
  },
  {
    path: 'resolvers/',
    rooms: [...core, 'src/search/defaults.ts', 'src/http/'],
    packages: [
      'graphql',
      'graphql-scalars',
      'type-graphql',
      '@apollo/server',
      '@as-integrations/fastify',
      'dataloader',
      'lru-cache',
      'reflect-metadata',
      'node:events',
    ],
    types: ['fastify'],
    because:
      'the only room that knows GraphQL; type-graphql needs reflect-metadata, and what it hands to the HTTP server is a route',
  },
  {
    path: 'src/embedded/process.ts',
    rooms: ['src/errors.ts', 'src/lifecycle.ts'],
    packages: ['node:*'],
    because: 'one process told from another with the same number; children need it without the rest of their room',
  },
  {
    path: 'src/embedded/options.ts',
    rooms: [],
    packages: [],
    because: 'what the embedded parts need of a logger, as a type',
  },
  {
    path: 'src/embedded/child.ts',
    rooms: ['src/lifecycle.ts', 'src/root.ts'],
    packages: ['node:*'],
    because: 'how one of our programs is forked; a room of its own, because models run in one too',
  },
  {
    path: 'src/embedded/supervise.ts',
    rooms: ['src/errors.ts', 'src/lifecycle.ts', 'src/embedded/options.ts'],
    packages: [],
    because: 'a process that is kept up, whatever it does; a room of its own, because models run in one too',
  },
  {
    path: 'src/embedded/',
    rooms: [
      'src/errors.ts',
      'src/lifecycle.ts',
      'src/root.ts',
      'src/config.ts',
      'chroma/server.ts',
      'src/embedded/process.ts',
      'src/embedded/child.ts',
      'src/embedded/supervise.ts',
      'src/embedded/options.ts',
    ],
    packages: ['pg', 'node:*'],
    because: 'child processes; PostgreSQL is ready when a login works, so pg is known here too, for that login',
  },
  {
    path: 'src/auth/',
    rooms: [...core, 'src/config-auth.ts'],
    packages: ['jose', 'lru-cache', 'node:crypto', 'node:net'],
    because: 'who asks: tokens and keys; jose alone reads tokens, and a key in steady use is remembered for a moment',
  },
  {
    path: 'src/metrics*',
    rooms: core,
    packages: ['prom-client'],
    because: 'the only files that know how numbers are exposed',
  },
  {
    path: 'src/http/',
    rooms: core,
    packages: ['fastify', 'node:*'],
    because: 'the only files that know how requests come in',
  },
  {
    path: 'src/scratch.ts',
    rooms: [],
    packages: [],
    because: 'room for numbers, for whoever looks at all cards at once',
  },
  {
    path: 'src/percentile.ts',
    rooms: [],
    packages: [],
    because: 'one formula, for the gateway and for the benchmarks',
  },
  {
    path: 'src/search-log.ts',
    rooms: [...core, 'src/search/defaults.ts', 'src/percentile.ts'],
    packages: ['lru-cache'],
    because: 'how recent searches went, from their receipts, of the tenants that searched last',
  },
  {
    path: 'src/logged-search.ts',
    rooms: [...core, 'src/search/'],
    packages: ['node:crypto'],
    because: 'searches of clients with a log beside them; a keyed hash tells equal queries without saying them',
  },
  {
    path: 'src/search-log-retention.ts',
    rooms: core,
    packages: [],
    because: 'how long logged searches are kept',
  },
  {
    path: 'src/log-errors.ts',
    rooms: [],
    packages: [],
    because: 'what the log may have of an error; it knows how drivers write theirs, by their texts alone',
  },
  {
    path: 'src/traces.ts',
    rooms: ['src/errors.ts', 'src/http/', 'src/lifecycle.ts'],
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/exporter-trace-otlp-http',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-base',
    ],
    because: 'the only file that knows how traces are sent; loaded where they are wanted',
  },
  {
    path: 'src/safelist.ts',
    rooms: ['src/errors.ts'],
    packages: ['node:crypto', 'node:fs/promises', 'zod'],
    because: 'which operations are answered: a file that somebody else wrote, parsed, and found again by their hashes',
  },
  {
    path: 'src/sample.ts',
    rooms: [...core, 'src/root.ts'],
    packages: ['node:fs/promises', 'node:path'],
    because: 'reads the sample notebook, which is files beside the program',
  },

  // The top.
  {
    path: 'src/servers.ts',
    rooms: ['src/errors.ts', 'src/lifecycle.ts', 'src/config.ts', 'src/embedded/', 'src/embedded/options.ts'],
    packages: [],
    because: 'PostgreSQL and Chroma for one app, named by the settings or started here',
  },
  {
    path: 'src/readiness.ts',
    rooms: [...core, 'src/http/'],
    packages: [],
    because: 'what a supervisor is told, from what the parts say of themselves',
  },
  {
    path: 'src/first-start.ts',
    rooms: [...core, 'src/config.ts', 'src/indexing/', 'src/sample.ts'],
    packages: [],
    because: 'the sample notebook and the wait for a first index, between the parts and the address',
  },
  {
    path: 'src/measuring.ts',
    rooms: [
      ...core,
      'src/evaluation/',
      'src/search/',
      'src/logged-search.ts',
      'src/search-log-retention.ts',
      'prisma/',
    ],
    packages: ['node:timers/promises'],
    because: 'builds what measures search, for the composition root; its arithmetic lets others have the thread',
  },
  {
    path: 'src/app.ts',
    rooms: [
      ...core,
      'src/config.ts',
      'src/text/',
      'src/lexical/',
      'src/search/',
      'src/indexing/',
      'src/duplicates/',
      'src/importing/',
      'src/exporting/',
      'src/models/',
      'src/vectors/',
      'src/snapshots/',
      'prisma/',
      'chroma/',
      'resolvers/',
      'src/embedded/',
      'src/auth/',
      'src/metrics*',
      'src/safelist.ts',
      'src/traces.ts',
      'src/search-log.ts',
      'src/http/',
      'src/servers.ts',
      'src/readiness.ts',
      'src/first-start.ts',
      'src/measuring.ts',
    ],
    packages: [],
    types: ['pino'],
    because: 'the composition root knows every room and no third party, but for the type of the log that it hands on',
  },
  {
    path: 'src/main.ts',
    rooms: ['src/app.ts', 'src/config.ts', 'src/errors.ts', 'src/lifecycle.ts', 'src/log-errors.ts'],
    packages: ['pino'],
    because: 'the process: settings, log, one app, signals, exit code',
  },
  {
    path: 'src/doctor/',
    rooms: [
      ...core,
      'src/config.ts',
      'src/embedded/',
      'src/indexing/',
      'src/models/',
      'src/models/inference/protocol.ts',
      'prisma/',
      'chroma/',
      'chroma/server.ts',
    ],
    packages: ['node:*'],
    because: 'looks at every part from outside, each by the code that the gateway uses',
  },
  {
    path: 'src/commands/settings.ts',
    rooms: ['src/config.ts'],
    packages: [],
    because: 'the environment of a command is that of the gateway, parsed by the same function',
  },
  {
    path: 'src/commands/',
    rooms: [
      ...core,
      'src/app.ts',
      'src/auth/',
      'src/config.ts',
      'src/embedded/',
      'src/embedded/options.ts',
      'src/root.ts',
      'src/doctor/',
      'src/models/',
      'src/models/inference/protocol.ts',
      'src/notebooks/',
      'src/app.ts',
      'src/evaluation/',
      'src/search/',
      'src/commands/settings.ts',
      'prisma/',
      'resolvers/',
    ],
    packages: ['commander', 'cli-progress', 'pino', 'node:*'],
    because:
      'the command line: one file a command, in one table; the schema is printed from the resolvers, a report is written from what an evaluation found, a gateway for one command logs to standard error, and keys are made in the database itself',
  },
  {
    path: 'bench/',
    rooms: [
      ...core,
      'src/app.ts',
      'src/config.ts',
      'src/duplicates/',
      'src/embedded/',
      'src/indexing/',
      'src/lexical/',
      'src/models/',
      'src/percentile.ts',
      'src/search/',
      'src/search/bands.ts',
      'src/search/defaults.ts',
      'src/snapshots/',
      'src/text/',
      'src/vectors/',
      'chroma/',
      'prisma/',
    ],
    packages: ['@huggingface/transformers', 'chromadb', 'pino', 'node:*'],
    because:
      'a benchmark builds the parts that it measures, and compares the app with raw Chroma, and with the model called directly, in the same run, so both are known here too',
  },
];

/** The files that read the environment, with the reason. */
export const environmentReaders: Readonly<Record<string, string>> = {
  'src/commands/settings.ts': 'the one place for the settings of commands: it hands the environment to parseConfig',
  'src/embedded/cache-dir.ts':
    'the set-up, which runs before there are settings, looks for the same folder by the same rule',
  'src/embedded/child.ts':
    'a child gets the few named variables that every program of the system needs, and no setting',
  'src/embedded/process.ts': 'ps runs as in the shell, but for its language',
  'src/main.ts': 'the one place for settings: it hands the environment to parseConfig',
};

/** The files that import what only a running program can name, with the reason. */
export const computedImports: Readonly<Record<string, string>> = {
  'chroma/server.child.ts': 'the native binding that loads on this platform, chosen by its parent',
  'src/doctor/servers.ts': 'where that binding is, to try whether it loads',
  'src/embedded/postgres-binaries.ts': 'the package that holds the binaries of this platform',
};
