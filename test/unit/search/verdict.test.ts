import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sampleNotebook } from '../../../bench/card-files.js';
import { packageRoot } from '../../../src/config/package-root.js';
import type { Card } from '../../../src/domain/card.js';
import { type LaneScore, VERDICTS, type Verdict } from '../../../src/domain/search-result.js';
import { coverage, namedLabels, sameNumbers, sharedLabels, verdict } from '../../../src/search/verdict.js';
import { leastCpuMs } from '../../support/cpu-time.js';
import { type ScoredNotebook, type ShownLanes, scoredNotebook } from '../../support/scored-notebook.js';
import { CONTRAST_EXAMPLE } from './contrast.example.js';

const context = { floor: 0, sameNumbers: () => true, coverage: () => 1, named: null, shared: null };

let sample: ScoredNotebook;
beforeAll(async () => {
  sample = await scoredNotebook((await sampleNotebook()).map((card) => ({ ...card, id: String(card.id) })));
});

/** The verdicts of a search by card on other cards of a notebook. */
async function verdictsByCard(
  notebook: ScoredNotebook,
  card: Card,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Verdict>> {
  const question = notebook.words(card.questionText);
  return new Map(
    [...(await notebook.byCard(card, ids))].map(([id, lanes]) => {
      const other = notebook.card(id);
      const shared = sharedLabels(card, other);
      const numbers = sameNumbers(question, notebook.words(other.questionText));
      const covered = coverage(question, notebook.words(other.questionText));
      return [id, verdict(lanes, { ...context, sameNumbers: () => numbers, coverage: () => covered, shared })];
    }),
  );
}

/** The verdicts of a search by text on all cards of the sample. */
async function verdictsByText(text: string): Promise<ReadonlyMap<string, Verdict>> {
  const words = sample.words(text);
  return new Map(
    [...(await sample.byText(text, sample.ids))].map(([id, lanes]) => {
      const card = sample.card(id);
      const numbers = sameNumbers(words, sample.words(card.questionText));
      const covered = coverage(words, sample.words(card.questionText));
      const named = namedLabels({ terms: words, synonyms: [] }, card, sample.words);
      return [id, verdict(lanes, { ...context, sameNumbers: () => numbers, coverage: () => covered, named })];
    }),
  );
}

/** The kinds of the sample's clusters as verdicts. */
const KINDS: Readonly<Record<string, Verdict>> = {
  duplicate: 'DUPLICATE',
  'same-question-new-skin': 'SAME_QUESTION_NEW_SKIN',
  'same-trap': 'SAME_TRAP',
  'same-idea': 'SAME_IDEA',
};

/** What pairs of sample cards are, by people: of several kinds the strongest. Pairs in no cluster are missing. */
async function labelledPairs(): Promise<ReadonlyMap<string, Verdict>> {
  const labelled = new Map<string, Verdict>();
  for (const language of ['zh', 'en']) {
    const file = await readFile(join(packageRoot(), 'sample', `clusters.${language}.json`), 'utf8');
    for (const cluster of JSON.parse(file) as { kind: string; cards: string[] }[]) {
      const kind = KINDS[cluster.kind];
      if (kind === undefined) throw new Error(`there is no verdict for clusters of the kind ${cluster.kind}`);
      for (const a of cluster.cards) {
        for (const b of cluster.cards) {
          const known = labelled.get(`${a} ${b}`);
          if (a !== b && (known === undefined || VERDICTS.indexOf(kind) < VERDICTS.indexOf(known)))
            labelled.set(`${a} ${b}`, kind);
        }
      }
    }
  }
  return labelled;
}

type Confusion = Readonly<Record<Verdict, Record<Verdict, number>>>;

function emptyTable(): Confusion {
  const row = (): Record<Verdict, number> =>
    Object.fromEntries(VERDICTS.map((given) => [given, 0])) as Record<Verdict, number>;
  return Object.fromEntries(VERDICTS.map((truth) => [truth, row()])) as Confusion;
}

/** Of those with a verdict, the share that deserves it; and of those that deserve it, the share that gets it. */
function qualityOf(table: Confusion, kind: Verdict): { readonly precision: number; readonly recall: number } {
  const right = table[kind][kind];
  const given = VERDICTS.reduce((sum, truth) => sum + table[truth][kind], 0);
  const deserved = VERDICTS.reduce((sum, verdict) => sum + table[kind][verdict], 0);
  return { precision: right / given, recall: right / deserved };
}

function printed(table: Confusion): string {
  const line = (name: string, values: readonly (string | number)[]): string =>
    name.padEnd(24) + values.map((value) => String(value).padStart(24)).join('');
  return [
    line('by people, by verdict', VERDICTS),
    ...VERDICTS.map((truth) =>
      line(
        truth,
        VERDICTS.map((given) => table[truth][given]),
      ),
    ),
  ].join('\n');
}

describe('the verdicts on the sample notebook, by card', () => {
  const table = emptyTable();

  /** Pairs of one language: the two notebooks mirror each other, and nobody compared them. */
  beforeAll(async () => {
    const labelled = await labelledPairs();
    const language = (id: string): string => id.slice(0, 'sample-zh'.length);
    for (const card of sample.ids.map(sample.card)) {
      const others = sample.ids.filter((id) => id !== card.id && language(id) === language(card.id));
      for (const [id, given] of await verdictsByCard(sample, card, others)) {
        const truth = labelled.get(`${card.id} ${id}`);
        // Cards with a topic tag in common that are in no cluster together: the same idea at least, and nobody said
        // what more.
        if (truth === undefined && sharedLabels(card, sample.card(id)).concept) continue;
        table[truth ?? 'RELATED'][given] += 1;
      }
    }
  });

  // What is reached, less .02, on the pairs on which the limits were chosen. New skins and traps have a soft border:
  // the same topics and the same error type.
  test.each([
    ['DUPLICATE', 1, 1],
    ['SAME_QUESTION_NEW_SKIN', 0.48, 0.56],
    ['SAME_TRAP', 0.63, 0.63],
    ['SAME_IDEA', 0.64, 0.38],
    ['RELATED', 0.99, 0.99],
  ] as const)(
    '%s: of those given a share of %d is right, of those deserved a share of %d is given',
    (kind, precision, recall) => {
      const reached = qualityOf(table, kind);
      const report = `precision ${reached.precision.toFixed(3)}, recall ${reached.recall.toFixed(3)}\n${printed(table)}`;
      expect({ report, enough: reached.precision >= precision && reached.recall >= recall }).toEqual({
        report,
        enough: true,
      });
    },
  );

  test('a card that is said to be the same question in a new skin has at least the same trap, nine times out of ten', () => {
    const given = VERDICTS.map((truth) => table[truth].SAME_QUESTION_NEW_SKIN);
    const [duplicates = 0, skins = 0, traps = 0] = given;
    expect((duplicates + skins + traps) / given.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0.9);
  });

  test('cards of different subjects without a common topic are never the same question', async () => {
    for (const card of sample.ids.map(sample.card)) {
      const foreign = sample.ids
        .map(sample.card)
        .filter((other) => other.subject !== card.subject && !sharedLabels(card, other).concept);
      const ids = foreign.map(({ id }) => id);
      for (const given of (await verdictsByCard(sample, card, ids)).values()) {
        expect(given).not.toBe('DUPLICATE');
        expect(given).not.toBe('SAME_QUESTION_NEW_SKIN');
      }
    }
  });
});

interface Reworded {
  readonly of: string;
  readonly verdict: Verdict;
  /** What a search by text says instead: a miss that is known. */
  readonly missed?: Verdict;
  readonly text: string;
}

const reworded: readonly Reworded[] = JSON.parse(
  readFileSync(join(packageRoot(), 'test', 'unit', 'search', 'reworded-questions.json'), 'utf8'),
);

describe('the verdict on a sample card, for a question that people reworded', () => {
  test.each(reworded)('by text: $of is $verdict for: $text', async ({ of, verdict, text, missed }) => {
    expect((await verdictsByText(text)).get(of)).toBe(missed ?? verdict);
  });

  test.each(reworded.filter(({ verdict }) => verdict !== 'RELATED'))(
    'by a card that asks it: $of is $verdict for: $text',
    async ({ of, verdict, text }) => {
      const card = { ...sample.card(of), id: 'reworded', questionText: text };
      expect((await verdictsByCard(sample, card, [of])).get(of)).toBe(verdict);
    },
  );

  test('for a text of another world is RELATED, whatever the card', async () => {
    for (const { text } of reworded.filter(({ verdict }) => verdict === 'RELATED')) {
      expect(new Set((await verdictsByText(text)).values())).toEqual(new Set(['RELATED']));
    }
  });
});

describe('the verdict for a text that describes what is looked for', () => {
  test.each([
    ['wrong force diagram N = mg', 'sample-en-071', 'SAME_TRAP'],
    ['符号错误：两边同除以负数', 'sample-zh-042', 'SAME_TRAP'],
    ['discriminant of a quadratic', 'sample-en-050', 'SAME_IDEA'],
    ['异分母分数加减法', 'sample-zh-025', 'SAME_IDEA'],
    ['等腰三角形', 'sample-zh-052', 'SAME_IDEA'],
    ['sign error', 'sample-en-050', 'SAME_TRAP'],
    ['density', 'sample-zh-017', 'RELATED'],
    ['pizza', 'sample-en-015', 'RELATED'],
    ['子网掩码', 'sample-zh-025', 'RELATED'],
  ] as const)('%s: %s is %s', async (text, id, expected) => {
    expect((await verdictsByText(text)).get(id)).toBe(expected);
  });
});

test('the verdicts on the example of a contrast search tell the traps from the new skins', async () => {
  const { cards, cardId, verdicts } = CONTRAST_EXAMPLE;
  const notebook = await scoredNotebook(cards);
  const given = await verdictsByCard(notebook, notebook.card(cardId), Object.keys(verdicts));
  expect(Object.fromEntries(given)).toEqual(verdicts);
});

function lane(kind: LaneScore['kind'], perspective: LaneScore['perspective'], score: number): ShownLanes[number] {
  return { kind, perspective, score };
}

describe('the verdict', () => {
  test('is RELATED where nothing could be compared', () => {
    expect(verdict([], context)).toBe('RELATED');
    expect(verdict([], { ...context, shared: { concept: false, error: null } })).toBe('RELATED');
  });

  test('goes by the words alone where the vectors are missing, and by the vectors alone where the words are', () => {
    expect(verdict([lane('LEXICAL', 'question', 0.9)], context)).toBe('DUPLICATE');
    expect(verdict([lane('DENSE', 'question', 0.9)], context)).toBe('DUPLICATE');
  });

  test('of one wording with other numbers is the same question in a new skin', () => {
    const lanes = [lane('DENSE', 'question', 0.98), lane('LEXICAL', 'question', 0.9)];
    expect(verdict(lanes, { ...context, sameNumbers: () => false })).toBe('SAME_QUESTION_NEW_SKIN');
  });

  test('asks more of a semantic model, to which everything is somewhat alike', () => {
    const lanes = [lane('DENSE', 'concept', 0.6)];
    expect(verdict(lanes, context)).toBe('SAME_IDEA');
    expect(verdict(lanes, { ...context, floor: 0.4 })).toBe('RELATED');
  });

  test('is not that of a topic that was only inferred, however alike the questions are', () => {
    const inferred = lane('INFERRED', 'concept', 1);
    expect(verdict([inferred, lane('LEXICAL', 'question', 0.6)], context)).toBe('RELATED');
  });

  test('says what the text names: the error, or else the topic', () => {
    expect(verdict([], { ...context, named: { concept: false, error: true } })).toBe('SAME_TRAP');
    expect(verdict([], { ...context, named: { concept: true, error: true } })).toBe('SAME_TRAP');
    expect(verdict([], { ...context, named: { concept: true, error: false } })).toBe('SAME_IDEA');
  });

  test('is no duplicate of a question that says more than the query', () => {
    const alike = [lane('LEXICAL', 'question', 1)];
    expect(verdict(alike, { ...context, coverage: () => 0.4 })).toBe('RELATED');
    expect(verdict(alike, { ...context, coverage: () => 0.6 })).toBe('DUPLICATE');
  });

  test('of two cards with a coarse error type and nothing else in common is RELATED', () => {
    const shared = { concept: false, error: true };
    expect(verdict([lane('LEXICAL', 'error', 1)], { ...context, shared })).toBe('RELATED');
    expect(verdict([lane('LEXICAL', 'error', 1), lane('LEXICAL', 'concept', 0.3)], { ...context, shared })).toBe(
      'SAME_TRAP',
    );
  });

  test('of two cards with one error type and the same slip is a trap, whatever the topics', () => {
    const shared = { concept: false, error: true };
    const lanes = [lane('LEXICAL', 'error', 0.6), lane('LEXICAL', 'solution', 0.4)];
    expect(verdict(lanes, { ...context, shared })).toBe('SAME_TRAP');
    expect(verdict(lanes, { ...context, shared: { concept: false, error: false } })).toBe('RELATED');
  });

  test('is no trap where the cards have different errors, however alike they are', () => {
    const lanes = [lane('LEXICAL', 'concept', 1), lane('LEXICAL', 'solution', 0.9), lane('LEXICAL', 'error', 0.9)];
    expect(verdict(lanes, { ...context, shared: { concept: true, error: false } })).toBe('SAME_IDEA');
    expect(verdict(lanes, { ...context, shared: { concept: true, error: null } })).toBe('SAME_QUESTION_NEW_SKIN');
  });
});

describe('the labels that a text names', () => {
  const card = { topicTags: ['perimeter', 'isosceles triangle'], errorTypes: ['sign error'] };
  test.each([
    ['Isosceles triangles', true, false],
    ['a sign error', false, true],
    ['an error', false, false],
    [
      'A farmer has 40 metres of fence. Find the perimeter of the garden that he can enclose with half of it.',
      false,
      false,
    ],
  ] as const)('%s: topic %s, error %s', (text, concept, error) => {
    const said = { terms: sample.words(text), synonyms: [] };
    expect(namedLabels(said, card, sample.words)).toEqual({ concept, error });
  });

  test('are the same however many synonyms expand the text', () => {
    const synonyms = sample.words('符号错误 变号错误 wrong sign, minus sign dropped, sign mistake, sign slip');
    expect(namedLabels({ terms: sample.words('sign error'), synonyms }, card, sample.words).error).toBe(true);
  });

  test('may be named by a synonym', () => {
    const said = { terms: sample.words('符号错误'), synonyms: sample.words('sign error') };
    expect(namedLabels(said, card, sample.words)).toEqual({ concept: false, error: true });
  });
});

describe('how much of a question a query says', () => {
  test.each([
    [['pizza'], ['lena', 'ate', 'pizza', 'sam'], 0.25],
    [['a', 'b', 'c'], ['a', 'b', 'b'], 1],
    [['a'], [], 0],
  ] as const)('%j of %j is %d', (query, question, share) => {
    expect(coverage(query, question)).toBe(share);
  });
});

describe('the numbers of two questions', () => {
  test.each([
    ['计算 $\\frac{1}{2}+\\frac{1}{3}$', '计算 1/2＋1/3 。', true],
    ['Solve x² = 49.', 'Solve $x^2=49$', true],
    ['Solve x² = 49.', 'Solve x³ = 49.', false],
    ['解方程：x+3=5', '（2019·北京）解方程：x+3=5', true],
    ['13-5=（　）', '13-6=（　）', false],
    ['8 tickets and 8 coins', '8 tickets and 5 coins', false],
    ['8 tickets and 8 coins', '8 tickets and a coin', true],
    ['Which word is a verb?', 'Name 3 verbs.', true],
  ] as const)('of %s and %s are the same: %s', (a, b, same) => {
    expect(sameNumbers(sample.words(a), sample.words(b))).toBe(same);
    expect(sameNumbers(sample.words(b), sample.words(a))).toBe(same);
  });

  test('are compared in time in proportion to how many there are', () => {
    const numbers = Array.from({ length: 50_000 }, (_, number) => String(number));
    const reversed = numbers.toReversed();
    expect(sameNumbers(numbers, reversed)).toBe(true);
    // Some 20 ms; many seconds if each is looked for among all others.
    expect(leastCpuMs(() => sameNumbers(numbers, reversed))).toBeLessThan(2_000);
  });
});
