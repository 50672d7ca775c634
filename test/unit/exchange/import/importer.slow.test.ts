import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { PostgresFileStore } from '../../../../prisma/cards/uploaded-files.js';
import { PostgresImportStore } from '../../../../prisma/import/import-store.js';
import { type ImportJob } from '../../../../src/domain/import.js';
import { PRIORITY } from '../../../../src/domain/ports/outbox.js';
import type { Viewer } from '../../../../src/domain/viewer.js';
import { Importer, type ImporterParts } from '../../../../src/exchange/import/importer.js';
import { imageOf } from '../../../support/images.js';
import { admin, dirtyRows, newTenant, student } from '../../prisma/fixture.js';
import { FILE, fileOf, importerWorld } from './importer-world.js';

const { fixture, parts, imported } = await importerWorld();

describe('a file whose rows hold files', () => {
  const png = (bytes: number): Buffer => imageOf('image/png', { pixels: randomBytes(bytes) });
  const rowWith = (id: string, data: Buffer): string =>
    `${JSON.stringify({ id, subject: 'math', difficulty: 1, questionText: id, attachments: [{ kind: 'QUESTION', data: data.toString('base64') }] })}\n`;
  async function* body(rows: readonly string[]): AsyncGenerator<Buffer> {
    yield Buffer.from(rows.join(''));
  }
  const finished = async (importer: Importer, viewer: Viewer, rows: readonly string[]): Promise<ImportJob> => {
    const { id } = await importer.importFile(viewer, FILE, body(rows));
    await imported();
    return parts.jobs.job(viewer, id);
  };

  test('has them stored with its cards, byte for byte', async () => {
    const viewer = student(newTenant(), 'amy');
    const importer = new Importer(parts);
    await importer.start();
    const files = [png(2_000_000), png(10)];
    const rows = files.map((data, place) => rowWith(`card-${place}`, data));
    expect(await finished(importer, viewer, rows)).toMatchObject({ state: 'DONE', created: 2, failed: 0 });
    const cards = await fixture.cards.byIds(viewer, ['card-0', 'card-1']);
    for (const [place, data] of files.entries()) {
      const [attachment] = cards.get(`card-${place}`)?.attachments ?? [];
      expect(attachment).toMatchObject({ kind: 'QUESTION', contentType: 'image/png', bytes: data.length });
      const stored = await new PostgresFileStore(fixture.database, 2 ** 30).read(viewer, String(attachment?.sha256));
      expect(stored?.content.equals(data)).toBe(true);
    }
    expect(await finished(importer, viewer, rows)).toMatchObject({ state: 'DONE', skipped: 2 });
    await importer.close();
  });

  test('fails with a reason if they exceed the limit of the tenant', async () => {
    const viewer = student(newTenant(), 'amy');
    const imports = new PostgresImportStore(fixture.database, fixture.dirty, 1_000);
    const importer = new Importer({ ...parts, imports });
    await importer.start();
    expect(await finished(importer, viewer, [rowWith('too-large', png(2_000))])).toMatchObject({
      state: 'FAILED',
      problem: expect.stringContaining('exceeds the limit of all uploaded files'),
    });
    expect((await fixture.cards.byIds(viewer, ['too-large'])).size).toBe(0);
    await importer.close();
  });
});

test('the cards of a file are indexed after the changes that somebody waits for, and before those of a rebuild', async () => {
  const viewer = admin(newTenant());
  const importer = new Importer(parts);
  await importer.start();
  await importer.importFile(viewer, FILE, fileOf(3));
  await imported();
  await importer.close();
  const rows = await dirtyRows(fixture, viewer.tenantId);
  expect([...rows.values()].map(({ priority }) => priority)).toEqual([PRIORITY.bulk, PRIORITY.bulk, PRIORITY.bulk]);
});

describe('a file that another gateway has resumed', () => {
  test('is left to that gateway, with its remaining rows', async () => {
    const viewer = admin(newTenant());
    let chunks = 0;
    // At its second chunk this gateway is late: the other one has just stored the same rows.
    const fold: ImporterParts['imports']['fold'] = async (...args) => {
      chunks += 1;
      if (chunks === 2) await parts.imports.fold(...args);
      return parts.imports.fold(...args);
    };
    const importer = new Importer({ ...parts, imports: { fold } });
    await importer.start();
    const { id } = await importer.importFile(viewer, FILE, fileOf(1_200));
    await imported();
    await importer.close();
    expect(await parts.jobs.job(viewer, id)).toMatchObject({ state: 'RUNNING', read: 1_000, total: 1_200 });
    expect(chunks).toBe(2);
  });
});
