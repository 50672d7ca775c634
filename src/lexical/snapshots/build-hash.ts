import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../config/package-root.js';

/** The code that decides which terms a card has, and how a snapshot is laid out. */
const FOLDERS = ['domain', 'text', 'lexical'];

/** Files read by that code: the school terms, and package.json for the version of jieba and its dictionary. */
const FILES = ['package.json', 'src/text/k12-words.txt'];

export interface BuildFolders {
  /** Holds the folders of compiled code. */
  readonly code: string;
  /** Holds package.json. */
  readonly root: string;
}

/**
 * Identifies this build: with equal values the same card has the same terms. It is a hash of the code, so that nobody
 * has to raise a version number, and of Node's version, which brings the classes and normal forms of Unicode.
 */
export function buildHash({ code, root }: BuildFolders = thisBuild()): string {
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
