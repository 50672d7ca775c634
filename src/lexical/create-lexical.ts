import type { Tokenizer } from '../text/tokenizer.js';
import { LexicalIndex } from './lexical-index.js';
import { buildHash } from './snapshots/build-hash.js';
import { SnapshotFiles, type SnapshotFilesParts } from './snapshots/snapshot-files.js';
import { type Analyse, analyserOf } from './terms.js';

export interface LexicalParts extends Pick<SnapshotFilesParts, 'log'> {
  readonly folders: { readonly words: string };
  readonly tokenizer: Tokenizer;
  /** Identifies the database. */
  readonly installation: string;
}

export interface Lexical {
  readonly analyse: Analyse;
  readonly newIndex: () => LexicalIndex;
  readonly snapshots: SnapshotFiles;
}

export function createLexical({ tokenizer, installation, folders, log }: LexicalParts): Lexical {
  const analyse = analyserOf(tokenizer);
  const snapshots = new SnapshotFiles({ folder: folders.words, buildHash: `${buildHash()} ${installation}`, log });
  return { analyse, newIndex: () => new LexicalIndex(analyse), snapshots };
}
