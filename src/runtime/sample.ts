import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../config/package-root.js';
import { ConflictError } from '../domain/errors.js';
import { parseNewCard } from '../domain/parse/card.js';
import type { CardStore } from '../domain/ports/cards.js';
import type { Viewer } from '../domain/viewer.js';

const FILES = ['notebook.zh.jsonl', 'notebook.en.jsonl'] as const;

/**
 * Stores the sample notebook for a viewer; returns its number of cards. Existing cards are kept, so that an interrupted start can
 * be repeated.
 */
export async function loadSample(store: Pick<CardStore, 'create'>, viewer: Viewer): Promise<number> {
  let stored = 0;
  for (const file of FILES) {
    const text = await readFile(join(packageRoot(), 'sample', file), 'utf8');
    for (const [place, line] of text.split('\n').entries()) {
      if (line === '') continue;
      const card = parseNewCard(JSON.parse(line), `${file}:${place + 1}`);
      try {
        await store.create(viewer, card);
        stored += 1;
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  }
  return stored;
}
