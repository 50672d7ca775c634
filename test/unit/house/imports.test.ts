import { describe, expect, test } from 'vitest';
import { cycleIn, importsOf, packageOf, readsEnvironment, targetOf } from './imports.js';
import { computedImports, environmentReaders, house, type Room } from './rooms.js';
import { type Source, sources } from './sources.js';

const files = sources();

describe('the house', () => {
  test('every file stands in a room that the table knows', () => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter(({ path }) => !roomOf(path)).map(({ path }) => path)).toEqual([]);
  });

  test('no file imports what its room may not', () => {
    expect(files.flatMap(violations)).toEqual([]);
  });

  test('no two files need each other to run (an import of types alone is gone by then)', () => {
    const known = new Set(files.map(({ path }) => path));
    const graph = new Map(
      files.map(({ path, text }) => {
        const targets = importsOf(text).flatMap(({ specifier, typeOnly }) =>
          typeOnly || specifier === null ? [] : (targetOf(path, specifier) ?? []),
        );
        return [path, targets.filter((target) => known.has(target))];
      }),
    );
    expect(cycleIn(graph)).toBeNull();
  });

  test('the environment is read in one place, and in no other without a reason', () => {
    const readers = files.filter(({ text }) => readsEnvironment(text)).map(({ path }) => path);
    expect(readers).toEqual(Object.keys(environmentReaders).sort());
  });

  test('what only a running program can name is imported in few places, each with a reason', () => {
    const computing = files.filter(({ text }) => importsOf(text).some(({ specifier }) => specifier === null));
    expect(computing.map(({ path }) => path)).toEqual(Object.keys(computedImports).sort());
  });

  test('the table lets no room reach itself: there is an order in which each knows only what is below it', () => {
    expect(cycleIn(new Map(house.map(({ path, rooms }) => [path, rooms])))).toBeNull();
    const paths = new Set(house.map(({ path }) => path));
    expect(house.flatMap(({ rooms }) => rooms).filter((room) => !paths.has(room))).toEqual([]);
  });

  test('the table has one row a room, and no row stands for nothing or gives a permission that nobody needs', () => {
    expect(new Set(house.map(({ path }) => path)).size).toBe(house.length);
    expect(house.flatMap(unneeded)).toEqual([]);
  });
});

describe('the reader of imports', () => {
  const edge = (text: string): readonly string[] => violations({ path: 'src/search/probe.ts', text });

  test.each([
    ['a package', `import { ChromaClient } from 'chromadb';`, 'chromadb'],
    ['a package by its inner path', `import x from '@prisma/client/runtime/client';`, '@prisma/client'],
    ['types alone', `import type { Collection } from 'chromadb';`, 'chromadb'],
    ['a type written in place', `let c: import('chromadb').Collection;`, 'chromadb'],
    ['a dynamic import', 'const c = await import(`chromadb`);', 'chromadb'],
    ['a re-export', `export * from 'chromadb';`, 'chromadb'],
    ['a required package', `const c = require('chromadb');`, 'chromadb'],
    ['a resolved package', `import.meta.resolve('chromadb');`, 'chromadb'],
    ['a Node module', `import { readFileSync } from 'node:fs';`, 'node:fs'],
    ['another room', `import { openDatabase } from '../../prisma/client.js';`, 'prisma/'],
    ['the composition root', `import { createApp } from '../app.js';`, 'src/app.ts'],
    ['a file outside the house', `import setup from '../../scripts/setup.mjs';`, 'scripts/setup.mjs'],
  ])('catches %s where it is not allowed', (_what, text, named) => {
    expect(edge(text)).toEqual([`src/search/probe.ts may not import ${named}`]);
  });

  test('catches a name that is only known at run time', () => {
    expect(edge('const c = await import(name);')).toEqual(['src/search/probe.ts may not import a computed name']);
  });

  test('tells types alone from what is needed to run', () => {
    const route = (text: string) => violations({ path: 'resolvers/probe.ts', text });
    expect(route(`import type { FastifyReply } from 'fastify';`)).toEqual([]);
    expect(route(`import { type FastifyReply } from 'fastify';`)).toEqual([
      'resolvers/probe.ts may not import fastify',
    ]);
  });

  test('lets through what the table allows, and words in comments and strings', () => {
    expect(
      edge(`import type { Card } from '../domain/card.js'; // import 'chromadb'\nconst s = "import 'pg'";`),
    ).toEqual([]);
  });

  test.each([
    'process.env.PORT',
    `process['env']`,
    'globalThis.process.env',
    'const { env } = process',
    `import { env as e } from 'node:process'`,
  ])('sees that %s reads the environment', (text) => {
    expect(readsEnvironment(text)).toBe(true);
  });

  test('sees that other uses of process and env do not', () => {
    expect(readsEnvironment('process.exitCode = 1; parseConfig(env); options.env; // process.env')).toBe(false);
  });

  test('finds a cycle of any length', () => {
    const graph = (text: string) =>
      new Map(text.split(' ').map((edges) => [edges[0] ?? '', [...edges.slice(1)]] as const));
    expect(cycleIn(graph('abc bd cd d'))).toBeNull();
    expect(cycleIn(graph('ab bc cd db'))).toEqual(['b', 'c', 'd', 'b']);
  });
});

function roomOf(path: string): Room | undefined {
  const fits = house.filter((room) =>
    /[/*]$/.test(room.path) ? path.startsWith(room.path.replace(/\*$/, '')) : path === room.path,
  );
  return fits.sort((a, b) => b.path.length - a.path.length)[0];
}

interface Need {
  /** A room's path, a package's name, or what it is that has neither. */
  readonly name: string;
  readonly typeOnly: boolean;
}

/** What a file imports from outside its room. */
function needs({ path, text }: Source): readonly Need[] {
  const own = roomOf(path)?.path;
  return importsOf(text).flatMap(({ specifier, typeOnly }) => {
    if (specifier === null) return path in computedImports ? [] : [{ name: 'a computed name', typeOnly }];
    const target = targetOf(path, specifier);
    if (target === null) return [{ name: packageOf(specifier), typeOnly }];
    const room = roomOf(target)?.path ?? target;
    return room === own ? [] : [{ name: room, typeOnly }];
  });
}

function allows(room: Room, { name, typeOnly }: Need): boolean {
  if (name.startsWith('node:') && room.packages.includes('node:*')) return true;
  return [...room.rooms, ...room.packages, ...(typeOnly ? (room.types ?? []) : [])].includes(name);
}

function violations(source: Source): readonly string[] {
  const room = roomOf(source.path);
  if (!room) return [`${source.path} has no room`];
  return needs(source)
    .filter((need) => !allows(room, need))
    .map(({ name }) => `${source.path} may not import ${name}`);
}

/** Rows without a file, and packages that no file of the row imports. Rooms may be allowed ahead of their use. */
function unneeded(room: Room): readonly string[] {
  const inside = files.filter(({ path }) => roomOf(path) === room);
  if (inside.length === 0) return [`${room.path} has no file`];
  const used = new Set(inside.flatMap(needs).map(({ name }) => name));
  return [...room.packages, ...(room.types ?? [])]
    .filter((name) => name !== 'node:*' && !used.has(name))
    .map((name) => `${room.path} does not import ${name}`);
}
