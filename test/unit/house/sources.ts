import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Module, parseSync } from '@swc/core';

/** The folder of package.json. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The folders whose code the house rules hold for; prisma/generated is Prisma's writing, not ours. */
const folders = ['src', 'prisma', 'chroma', 'resolvers', 'bench'];
const generated = 'prisma/generated/';

/** A node of the syntax tree, as far as a walk over all of them needs to know. */
export interface SyntaxNode {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** One source file; `path` is relative to {@link root} and written with slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Every TypeScript file that we write, tests excepted, by path. */
export function sources(): readonly Source[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .map((name) => relative('.', name).split(sep).join('/'))
    .filter((path) => path.endsWith('.ts') && !path.startsWith(generated) && !path.includes('/node_modules/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** The syntax tree of a TypeScript source. Spans count UTF-8 bytes from 1. */
export function parse(text: string): Module {
  return parseSync(text, { syntax: 'typescript', decorators: true, target: 'es2022' });
}

/** Every node of a tree, parents first. */
export function* nodes(tree: unknown): Generator<SyntaxNode> {
  if (Array.isArray(tree)) {
    for (const part of tree) yield* nodes(part);
  } else if (typeof tree === 'object' && tree !== null) {
    if ('type' in tree && typeof tree.type === 'string') yield tree as SyntaxNode;
    for (const part of Object.values(tree)) yield* nodes(part);
  }
}
