import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../config/package-root.js';

/** The folders whose code decides what words a card has, and how they are laid out in a copy. */
const FOLDERS = ['domain', 'text', 'lexical'];

/** What that code reads: the school terms, and in package.json which version of jieba and its dictionary it is. */
const FILES = ['package.json', 'src/text/k12-words.txt'];

/** Where the code and what it reads lie. */
export interface BuildFolders {
  /** Holds the folders of compiled code. */
  readonly code: string;
  /** Holds package.json. */
  readonly root: string;
}

/**
 * Names what makes words out of cards: the same name means that the same card gives the same words. It is a hash of the code
 * itself, so that nobody has to remember a version; Node is part of it because Unicode's classes and normal forms come with it.
 */
export function madeBy({ code, root }: BuildFolders = thisBuild()): string {
  const hash = createHash('sha256').update([process.version, process.arch, endianness()].join(' '));
  for (const folder of FOLDERS) {
    const names = readdirSync(join(code, folder), { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((one) => /(?<!\.d)\.[jt]s$/.test(one)).sort()) {
      hash.update(`\0${folder} ${name}\0`).update(readFileSync(join(code, folder, name)));
    }
  }
  for (const name of FILES) hash.update(`\0${name}\0`).update(readFileSync(join(root, name)));
  return hash.digest('hex');
}

function thisBuild(): BuildFolders {
  return { code: fileURLToPath(new URL('../..', import.meta.url)), root: packageRoot() };
}
