import { beforeAll, describe, expect, test } from 'vitest';
import { memoryEngine } from '../../../bench/memory-engine.js';
import { parseSearch } from '../../../src/domain/parse/search.js';
import { DEFAULT_VIEWER } from '../../../src/domain/viewer.js';
import type { Engine } from '../../../src/search/engine.js';
import { BUILTIN_SETTINGS, settingsOf } from '../../../src/search/profile.js';
import { cardOf } from '../../support/generators.js';
import { CONTRAST_EXAMPLE } from './contrast.example.js';

const { cards, operation, cardId, topK, avoid, plain, contrasted, avoided } = CONTRAST_EXAMPLE;

let engine: Engine;
beforeAll(async () => {
  engine = await memoryEngine(cards.map(cardOf));
});

async function idsOf(options: object): Promise<readonly string[]> {
  const request = parseSearch(operation, { cardId, topK, options }, settingsOf(operation, BUILTIN_SETTINGS));
  const { hits } = await engine.search(DEFAULT_VIEWER, request, new AbortController().signal);
  return hits.map(({ card }) => card.id);
}

describe('a search for the errors of a card', () => {
  test('finds the same error in the same question first', async () => {
    expect(await idsOf({})).toEqual(plain.map(({ id }) => id));
  });

  test('that avoids its question finds the same error in other questions', async () => {
    const ids = await idsOf({ avoid });
    expect(ids).toEqual(contrasted.map(({ id }) => id));
    expect(ids).not.toContain(avoided);
  });
});
