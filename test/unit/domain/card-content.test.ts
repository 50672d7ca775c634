import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONTENT_FIELDS, LASTING_FIELDS, OCCURRENCE_FIELDS } from '../../../src/domain/card-content.js';

const root = join(import.meta.dirname, '../../..');
const files = ['src', 'resolvers', 'prisma', 'chroma'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => /\.(ts|prisma)$/.test(path) && !path.startsWith('prisma/generated')),
);

/** Files that name a field, by its name or that of its column. */
function naming(field: string): readonly string[] {
  const column = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const name = new RegExp(`\\b(?:${field}|${column})\\b`);
  return files.filter((path) => name.test(readFileSync(join(root, path), 'utf8')));
}

/** Fields whose names are words of nothing else. Others are named where they filter, label or rank. */
const CARRIED = ['goldSolutionBrief'] as const;

/** Declaration, columns of files, database schema, perspectives, tutoring, papers, public sets of dialogues, filter. */
const MAX_FILES = 8;

describe('a field of a card', () => {
  test.each(CARRIED)('%s is named by at most eight files of the gateway', (field) => {
    expect(naming(field).length, naming(field).join(', ')).toBeLessThanOrEqual(MAX_FILES);
  });

  test('belongs to the mistake or to one occurrence of it', () => {
    expect([...LASTING_FIELDS, ...OCCURRENCE_FIELDS].sort()).toEqual([...CONTENT_FIELDS].sort());
  });
});
