import { beforeAll, describe, expect, test } from 'vitest';
import type { Card } from '../../../src/domain/card.js';
import { atOnce } from '../../../src/domain/steps.js';
import { TUTORING_MODES, type TutoringContext } from '../../../src/domain/tutoring.js';
import { contextSteps } from '../../../src/tutoring/assemble.js';
import { type CountTokens, loadTokenCounter } from '../../../src/tutoring/tokens.js';
import { cardOf } from '../../support/generators.js';
import { INJECTIONS } from './injections.js';
import { hitOf, resultOf, tutoringOf } from './notebook.js';

const assembleContext = (...given: Parameters<typeof contextSteps>) => atOnce(contextSteps(...given));

let count: CountTokens;
beforeAll(async () => {
  count = await loadTokenCounter();
});

/** The context of two cards that say `text` wherever a card can say anything, asked about with `text`. */
function contextOf(text: string, mode: TutoringContext['mode']): TutoringContext {
  const label = text.slice(0, 40);
  const say = (id: string): Card =>
    cardOf({
      id,
      questionText: `${id}: ${text}`,
      studentSolutionText: `${id} wrote: ${text}`,
      goldSolutionBrief: `${id} needs: ${text}`,
      topicTags: [label],
      errorTypes: [label],
      source: text,
    });
  const hits = [hitOf(say('one'), { score: 0.8 }), hitOf(say('two'), { score: 0.7 })];
  const inferredLabels = [{ perspective: 'error' as const, label, posterior: 0.5 }];
  const found = { card: null, related: resultOf(hits), sameError: resultOf(hits, { inferredLabels }) };
  return assembleContext(
    tutoringOf({ text: `help: ${text}`, mode, language: 'en', budgetTokens: 4_000 }),
    found,
    count,
  );
}

/** Code blocks of a Markdown text, and what is left of it without them. */
function blocksOf(markdown: string): { readonly blocks: readonly string[]; readonly rest: string } {
  const blocks: string[] = [];
  const rest: string[] = [];
  let fence: string | null = null;
  let block: string[] = [];
  for (const line of markdown.split('\n')) {
    const run = /^ {0,3}(`{3,})/.exec(line)?.[1];
    if (fence === null && run !== undefined) {
      fence = run;
      block = [];
    } else if (fence !== null && run !== undefined && run.length >= fence.length && /^ {0,3}`+\s*$/.test(line)) {
      blocks.push(block.join('\n'));
      fence = null;
    } else (fence === null ? rest : block).push(line);
  }
  expect(fence).toBeNull();
  return { blocks, rest: rest.join('\n') };
}

test('the corpus has 40 attacks, half of them in Chinese', () => {
  expect(new Set(INJECTIONS).size).toBe(40);
  expect(INJECTIONS.filter((text) => /\p{Script=Han}/u.test(text))).toHaveLength(20);
});

describe.each(INJECTIONS.map((text) => [text.slice(0, 40), text] as const))('a card that says %j', (_name, text) => {
  test('changes nothing of a prompt outside its own code block, and forges no label', () => {
    for (const mode of TUTORING_MODES) {
      const harmless = contextOf('plain words', mode);
      const attacked = contextOf(text, mode);
      expect(attacked.rules).toBe(harmless.rules);
      const { blocks, rest } = blocksOf(attacked.material);
      expect(rest).toBe(blocksOf(harmless.material).rest);
      expect(blocks).toHaveLength(blocksOf(harmless.material).blocks.length);
      for (const block of blocks) {
        expect(block.normalize('NFKC')).not.toMatch(
          /[[【〔]S\d|<\||<\/?(?:system|assistant|start_of_turn)>|\[\/?INST\]/i,
        );
        expect(block).not.toMatch(/[\p{Cf}\r]/u);
      }
      expect(attacked.sources.map(({ label }) => label)).toEqual(['S1', 'S2']);
    }
  });
});
