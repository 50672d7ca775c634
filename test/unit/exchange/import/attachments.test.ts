import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Attachment } from '../../../../src/domain/attachment.js';
import type { Folded, StoredCards } from '../../../../src/domain/ports/imports.js';
import { DEFAULT_VIEWER } from '../../../../src/domain/viewer.js';
import { COLUMNS } from '../../../../src/exchange/formats/columns.js';
import type { CardRow, GoodRow } from '../../../../src/exchange/formats/rows.js';
import { cardLine } from '../../../../src/exchange/formats/write/card-lines.js';
import { csvLine } from '../../../../src/exchange/formats/write/csv.js';
import { tableRows } from '../../../../src/exchange/formats/write/table.js';
import { fold } from '../../../../src/exchange/import/fold.js';
import { RowFolder } from '../../../../src/exchange/import/fold-rows.js';
import { cardOf, readAll } from '../../../support/files.js';
import { folderOfFile } from '../../../support/folder.js';
import { cardOf as storedCard } from '../../../support/generators.js';
import { imageOf, part } from '../../../support/images.js';
import { NO_NAMES } from '../../../support/vocabulary.js';

const content = imageOf('image/png', { pixels: Buffer.from('a figure') });
const sha256 = createHash('sha256').update(content).digest('hex');
const data = content.toString('base64');
const LINK = 'https://example.org/a.png?b=1,2;3';
const FILE: Attachment = {
  kind: 'QUESTION',
  altText: 'a figure',
  url: null,
  sha256,
  contentType: 'image/png',
  bytes: content.length,
};
const link = (url: string, more: Partial<Attachment> = {}): Attachment => ({
  ...{ kind: 'OTHER', altText: null, url, sha256: null, contentType: null, bytes: null },
  ...more,
});

const folder = await folderOfFile('attachments');

const row = (attachments: unknown) =>
  JSON.stringify({ subject: 'math', difficulty: 1, questionText: '1+1=?', attachments });
const read = async (name: string, text: string): Promise<readonly CardRow[]> =>
  (await readAll(await folder.write(name, text))).rows;

describe('a row', () => {
  test('holds a file in base64, names one by its digest, or links to one', async () => {
    const attachments = [
      { kind: 'QUESTION', altText: 'a figure', data },
      { sha256: 'A'.repeat(64), kind: 'SOLUTION' },
      { url: LINK },
    ];
    const [one] = await read('a.jsonl', row(attachments));
    expect(cardOf(one).attachments).toEqual([
      FILE,
      { ...link(''), url: null, sha256: 'a'.repeat(64), kind: 'SOLUTION' },
      link(LINK),
    ]);
    expect((one as GoodRow).files).toEqual([{ sha256, contentType: 'image/png', content }]);
  });

  test('holds images without their metadata; two that differ in nothing else are one', async () => {
    const pixels = Buffer.from('a figure');
    const [first, second] = ['here', 'there'].map((place) => {
      const image = imageOf('image/png', { pixels, parts: [part('image/png', 'tEXt', Buffer.from(place))] });
      return { data: image.toString('base64'), kind: 'QUESTION', altText: 'a figure' };
    });
    const [one] = await read('a.jsonl', row([first, second]));
    expect(cardOf(one).attachments).toEqual([FILE]);
    expect((one as GoodRow).files[0]).toEqual({ sha256, contentType: 'image/png', content });
  });

  test.each([
    ['a part of an image', [{ data: content.subarray(0, 40).toString('base64') }], 'is damaged'],
    ['no base64', [{ data: 'not base64!' }], 'attachments: is not base64'],
    ['a page', [{ data: Buffer.from('<script>').toString('base64') }], 'by its first bytes'],
    ['an empty file', [{ data: '' }], 'is empty'],
    ['another digest than that of the file', [{ data, sha256: 'b'.repeat(64) }], 'is not the SHA-256 of data'],
    ['a file and a link', [{ data, url: LINK }], 'must have either url, or sha256 or data'],
    ['a link to a script', [{ url: 'javascript:alert(1)' }], 'must be an address that begins with http'],
    ['one link twice', [{ url: LINK }, { url: LINK }], 'must have each link or file once'],
    ['eleven links', Array.from({ length: 11 }, (_, n) => ({ url: `https://a.b/${n}` })), 'at most 10'],
    [
      'a file that is too large',
      [{ data: Buffer.concat([content, Buffer.alloc(6 * 2 ** 20)]).toString('base64') }],
      'is larger than 5 MB',
    ],
  ])('with %s is refused', async (_what, attachments, problem) => {
    const [one] = await read('a.jsonl', row(attachments));
    expect(one).toMatchObject({ problems: [{ failed: true }] });
    const [{ column, reason }] = (one as unknown as { problems: [{ column: string; reason: string }] }).problems;
    expect(`${column}: ${reason}`).toContain(problem);
  });
});

test('an exported line with its files is read again as it was written', async () => {
  const card = storedCard({ id: 'one', attachments: [FILE, link(LINK, { altText: 'a link' })] });
  const occurrences = [
    { number: 1, occurredAt: card.occurredAt, wrongSolution: card.studentSolutionText, errorTypes: card.errorTypes },
  ].map((one) => ({ ...one, mergedId: null, merged: null }));
  const line = [...cardLine({ card, occurrences, files: new Map([[sha256, content]]) })].join('');
  const [one] = await read('a.jsonl', line);
  expect(cardOf(one).attachments).toEqual(card.attachments);
  // Each is encoded and sent by itself: a whole line of 13 MB would hold the event loop.
  const large = Buffer.alloc(1_000_001, 'figure');
  const pieces = [...cardLine({ card, occurrences, files: new Map([[sha256, large]]) })];
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(300_000);
  expect(JSON.parse(pieces.join('')).attachments[0].data).toBe(large.toString('base64'));
  // Without the files it names them.
  const [named] = await read('a.jsonl', [...cardLine({ card, occurrences })].join(''));
  expect(cardOf(named).attachments[0]).toEqual({ ...FILE, contentType: null, bytes: null });
  const table = [COLUMNS.map(({ header }) => header.en), ...tableRows({ card, occurrences }, 'en')]
    .map(csvLine)
    .join('');
  const [cells] = await read('a.csv', table);
  expect(cardOf(cells).attachments.map(({ url, sha256: digest }) => url ?? digest)).toEqual([sha256, LINK]);
});

describe('folding', () => {
  const NOTHING: StoredCards = {
    cards: [],
    taken: new Set(),
    foreign: new Set(),
    labels: NO_NAMES,
    files: new Map(),
  };
  async function folded(attachments: unknown, view: StoredCards, id = 'one'): Promise<Folded> {
    const [one] = await read('a.jsonl', JSON.stringify({ ...JSON.parse(row(attachments)), id }));
    const parts = { owner: DEFAULT_VIEWER, onDuplicate: 'MERGE' } as const;
    const prepared = new RowFolder({ ...parts, scope: '' }).prepare(one as GoodRow);
    return fold([prepared], view, { ...parts, earlierIds: new Set(), earlierKept: 0, newId: () => 'new' });
  }
  const attachmentsOf = ({ drafts }: Folded) => drafts.map((draft) => draft.content.attachments);

  test('stores the files that a row holds with its card, once', async () => {
    const outcome = await folded([{ data, kind: 'QUESTION', altText: 'a figure' }], NOTHING);
    expect(attachmentsOf(outcome)).toEqual([[FILE]]);
    expect(outcome.files).toEqual([{ ownerId: 'default', sha256, contentType: 'image/png', content }]);
  });

  test('finds the files that the owner has, and refuses the others', async () => {
    const named = [{ sha256, kind: 'QUESTION', altText: 'a figure' }];
    const stored = { contentType: 'image/png', bytes: content.length } as const;
    expect(attachmentsOf(await folded(named, { ...NOTHING, files: new Map([[sha256, stored]]) }))).toEqual([[FILE]]);
    expect(await folded(named, NOTHING)).toMatchObject({
      drafts: [],
      counts: { failed: 1 },
      problems: [
        { column: 'attachments', reason: expect.stringContaining(sha256), content: expect.not.stringContaining('[]') },
      ],
    });
  });

  test('keeps kinds and alternative texts where a table has none, and refuses what is too much', async () => {
    const first = await folded(
      [
        { data, kind: 'QUESTION', altText: 'a figure' },
        { url: LINK, altText: 'a link' },
      ],
      NOTHING,
    );
    const view = { ...NOTHING, cards: first.drafts.map((draft) => ({ ...draft, state: 'STORED' as const })) };
    expect(await folded([{ sha256 }, { url: LINK }], view)).toMatchObject({ drafts: [], counts: { skipped: 1 } });
    const many = Array.from({ length: 9 }, (_, n) => ({ url: `https://a.b/${n}` }));
    expect(await folded(many, view, 'another')).toMatchObject({
      drafts: [],
      problems: [{ reason: 'the card would have more than 10 attachments' }],
    });
  });
});
