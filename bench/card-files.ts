import { join } from 'node:path';
import { readJsonLines } from '../src/cli/read-file.js';
import { packageRoot } from '../src/config/package-root.js';
import type { NewCard } from '../src/domain/card.js';
import { parseNewCard } from '../src/domain/parse/card.js';

/** The cards of a file in JSON Lines. */
export async function cardsOf(file: string): Promise<readonly NewCard[]> {
  return (await readJsonLines(file)).map(({ value, where }) => parseNewCard(value, where));
}

/** The cards of the sample notebook, as the gateway would load them. */
export async function sampleNotebook(): Promise<readonly NewCard[]> {
  const files = ['notebook.zh.jsonl', 'notebook.en.jsonl'].map((name) => cardsOf(join(packageRoot(), 'sample', name)));
  return (await Promise.all(files)).flat();
}
