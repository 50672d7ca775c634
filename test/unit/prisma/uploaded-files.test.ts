import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lockRoom, PostgresFileStore } from '../../../prisma/cards/uploaded-files.js';
import { Prisma } from '../../../prisma/generated/client.js';
import { PostgresImportStore } from '../../../prisma/import/import-store.js';
import type { Attachment, FileContent } from '../../../src/domain/attachment.js';
import { NO_MAPPING } from '../../../src/domain/parse/import.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { cardRow } from '../../../src/exchange/formats/rows.js';
import { mergeDrafts } from '../../../src/exchange/import/merge.js';
import { FILE_LIMITS } from '../../support/files.js';
import { RowStorer } from '../../support/row-storer.js';
import { admin, type Fixture, newCard, newTenant, openFixture, student } from './fixture.js';

const QUOTA = 2 ** 20;

let fixture: Fixture;
let files: PostgresFileStore;
let imports: PostgresImportStore;
beforeAll(async () => {
  fixture = await openFixture();
  files = new PostgresFileStore(fixture.database, QUOTA);
  imports = new PostgresImportStore(fixture.database, fixture.dirty, QUOTA);
});
afterAll(() => fixture.close());

function png(text: string): FileContent {
  const content = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from(text)]);
  return { sha256: createHash('sha256').update(content).digest('hex'), contentType: 'image/png', content };
}

function attached({ sha256 }: FileContent, more: Partial<Attachment> = {}): Attachment {
  return { kind: 'QUESTION', altText: null, url: null, sha256, contentType: null, bytes: null, ...more };
}

async function kept(viewer: Viewer, text: string): Promise<FileContent> {
  const file = png(text);
  await files.keep(viewer, file);
  return file;
}

const teacher = (tenant: string, owner: string): Viewer => ({ ...student(tenant, owner), role: 'teacher' });

const isThere = async (viewer: Viewer, { sha256 }: FileContent): Promise<boolean> =>
  (await files.read(viewer, sha256)) !== null;

async function age(tenantId: string): Promise<void> {
  await fixture.database.execute(Prisma.sql`
    UPDATE uploaded_file SET uploaded_at = now() - interval '25 hours' WHERE tenant_id = ${tenantId}`);
}

describe('an uploaded file', () => {
  test.each([2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 2.5 * 2 ** 20])(
    'of %d bytes is read in pieces of 1 MB',
    async (size) => {
      const pieces: number[] = [];
      const database = Object.create(fixture.database) as Fixture['database'];
      database.as = (...given) => {
        const viewed = fixture.database.as(...given);
        const query: typeof viewed.query = async <Row>(sql: Prisma.Sql) => {
          const rows = await viewed.query<Row>(sql);
          pieces.push(...rows.map((row) => (row as { content: Buffer }).content.length));
          return rows;
        };
        return Object.assign(Object.create(viewed), { query });
      };
      const store = new PostgresFileStore(database, 4 * QUOTA);
      const amy = admin(newTenant());
      const content = randomBytes(size);
      const file = { ...png(`${size}`), content };
      await store.keep(amy, file);
      expect(Buffer.compare((await store.read(amy, file.sha256))?.content ?? Buffer.alloc(0), content)).toBe(0);
      expect(pieces).toHaveLength(Math.ceil(size / 2 ** 20));
      expect(Math.max(...pieces)).toBeLessThanOrEqual(2 ** 20);
    },
  );

  test('is read as it was sent, by its owner and the staff of the school, and by nobody else', async () => {
    const tenant = newTenant();
    const amy = student(tenant, 'amy');
    const file = await kept(amy, 'a figure');
    const found = await files.read(amy, file.sha256);
    expect([found?.contentType, Buffer.compare(found?.content ?? Buffer.alloc(0), file.content)]).toEqual([
      'image/png',
      0,
    ]);
    expect(await isThere({ ...amy, ownerId: 'tess', role: 'teacher' }, file)).toBe(true);
    for (const other of [student(tenant, 'ben'), student(newTenant(), 'amy'), admin(newTenant())]) {
      expect(await isThere(other, file)).toBe(false);
    }
  });

  test('is stored once for its owner and once more for another one, who learns nothing of it', async () => {
    const tenant = newTenant();
    const [amy, ben] = [student(tenant, 'amy'), student(tenant, 'ben')];
    const file = await kept(amy, 'the same');
    await files.keep(amy, file);
    await files.keep(ben, file);
    const [row] = await fixture.database.query<{ count: number }>(
      Prisma.sql`SELECT count(*)::int AS count FROM uploaded_file WHERE tenant_id = ${tenant}`,
    );
    expect(row?.count).toBe(2);
  });

  test('is refused where the files of the school would be too large together, however many are sent at once', async () => {
    const tenant = newTenant();
    const owners = ['a', 'b', 'c', 'd'];
    const send = (owner: string) => kept(teacher(tenant, owner), owner.repeat(300_000));
    const sent = await Promise.allSettled(owners.map(send));
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    const refused = sent.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('exceeds the limit of all uploaded files: 0.9 of 1 MB are used: delete'),
    });
    // What is there already takes no more room.
    for (const [place, owner] of owners.entries()) if (sent[place]?.status === 'fulfilled') await send(owner);
  });

  test('of a student is refused beyond a tenth of the room of the school, which is left to the others', async () => {
    const tenant = newTenant();
    const [amy, ben] = [student(tenant, 'amy'), student(tenant, 'ben')];
    await kept(amy, 'a'.repeat(60_000));
    await expect(kept(amy, 'b'.repeat(60_000))).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('the uploaded files of a student: 0.1 of 0.1 MB are used: delete'),
    });
    for (const viewer of [ben, teacher(tenant, 'tess')]) await kept(viewer, 'b'.repeat(60_000));
    await kept(teacher(tenant, 'tess'), 'c'.repeat(300_000));
    await age(tenant);
    await files.forget(100);
    await kept(amy, 'b'.repeat(60_000));
  });

  test('counts towards a limit above 2 GB', async () => {
    const tenant = newTenant();
    for (const owner of ['a', 'b']) await kept(student(tenant, owner), owner);
    const where = { tenantId: tenant };
    await fixture.database.run(({ uploadedFile }) =>
      uploadedFile.updateMany({ where, data: { bytes: 2_000_000_000 } }),
    );
    const room = await fixture.database.transaction((tx) => lockRoom(tx, admin(tenant), QUOTA));
    expect(room.limits.map(({ usedBytes }) => usedBytes)).toEqual([4_000_000_000]);
  });

  test('without a card is deleted after a day, and one with a card stays', async () => {
    const tenant = newTenant();
    const amy = student(tenant, 'amy');
    const [lone, used, fresh] = await Promise.all(['lone', 'used', 'again'].map((text) => kept(amy, text)));
    if (lone === undefined || used === undefined || fresh === undefined) throw new Error('not stored');
    await fixture.cards.create(amy, newCard({ attachments: [attached(used)] }));
    await files.forget(100);
    expect(await isThere(amy, lone)).toBe(true);
    await age(tenant);
    await files.keep(amy, fresh);
    expect(await files.forget(100)).toBe(1);
    expect(await Promise.all([lone, used, fresh].map((file) => isThere(amy, file)))).toEqual([false, true, true]);
  });
});

describe('a card', () => {
  test('has the files of its owner, with their types and sizes', async () => {
    const amy = student(newTenant(), 'amy');
    const file = await kept(amy, 'x');
    const link: Attachment = { ...attached(file), kind: 'OTHER', sha256: null, url: 'https://example.org/a.png' };
    const card = await fixture.cards.create(
      amy,
      newCard({ attachments: [attached(file, { altText: 'a graph' }), link] }),
    );
    const stored = [
      { ...attached(file), altText: 'a graph', contentType: 'image/png', bytes: file.content.length },
      link,
    ];
    expect(card.attachments).toEqual(stored);
    expect((await fixture.cards.byIds(amy, [card.id])).get(card.id)?.attachments).toEqual(stored);
    const same = await fixture.cards.update(
      amy,
      card.id,
      { attachments: [attached(file, { altText: 'a graph' }), link] },
      null,
    );
    expect(same.revision).toBe(1);
  });

  test('gets no file of another owner, another school or nobody, and is not stored then', async () => {
    const tenant = newTenant();
    const [amy, ben] = [student(tenant, 'amy'), student(tenant, 'ben')];
    const bens = await kept(ben, 'of ben');
    const abroad = await kept(student(newTenant(), 'amy'), 'abroad');
    for (const file of [bens, abroad, png('never uploaded')]) {
      const created = fixture.cards.create(amy, newCard({ id: 'refused', attachments: [attached(file)] }));
      await expect(created).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'attachments[0].sha256' });
    }
    expect((await fixture.cards.byIds(amy, ['refused'])).size).toBe(0);
    const card = await fixture.cards.create(amy, newCard({}));
    // An admin may change the card, and has the file: it is still not of the card's owner.
    const admins = await kept(admin(tenant), 'of the admin');
    const changed = fixture.cards.update(admin(tenant), card.id, { attachments: [attached(admins)] }, null);
    await expect(changed).rejects.toMatchObject({ field: 'attachments[0].sha256' });
  });

  test('takes its files along when it is deleted or loses them, but for those that another card has', async () => {
    const amy = student(newTenant(), 'amy');
    const own = await kept(amy, 'own');
    const shared = await kept(amy, 'shared');
    const one = await fixture.cards.create(amy, newCard({ attachments: [attached(own), attached(shared)] }));
    const other = await fixture.cards.create(amy, newCard({ attachments: [attached(shared)] }));
    await fixture.cards.delete(amy, one.id);
    expect([await isThere(amy, own), await isThere(amy, shared)]).toEqual([false, true]);
    await fixture.cards.update(amy, other.id, { attachments: [] }, null);
    expect(await isThere(amy, shared)).toBe(false);
  });

  test('keeps its files in the card that it is merged into', async () => {
    const amy = student(newTenant(), 'amy');
    const [a, b] = [await kept(amy, 'of into'), await kept(amy, 'of from')];
    const into = await fixture.cards.create(amy, newCard({ attachments: [attached(a)] }));
    const from = await fixture.cards.create(amy, newCard({ attachments: [attached(b), attached(a)] }));
    await imports.merge(amy, { into: into.id, from: from.id }, mergeDrafts);
    const card = (await fixture.cards.byIds(amy, [into.id])).get(into.id);
    expect(card?.attachments.map(({ sha256 }) => sha256)).toEqual([a.sha256, b.sha256]);
    expect([await isThere(amy, a), await isThere(amy, b)]).toEqual([true, true]);
  });

  test('of an imported row whose file is deleted meanwhile is not stored, and the other rows are', async () => {
    const amy = student(newTenant(), 'amy');
    const file = await kept(amy, 'deleted');
    const fold: PostgresImportStore['fold'] = (viewer, wanted, decide, options) =>
      imports.fold(
        viewer,
        wanted,
        async (view) => {
          const folded = await decide(view);
          await fixture.database.run(({ uploadedFile }) => uploadedFile.deleteMany({ where: { sha256: file.sha256 } }));
          return folded;
        },
        options,
      );
    const options = { onDuplicate: 'MERGE', dryRun: false, mapping: NO_MAPPING } as const;
    const storer = new RowStorer({ imports: { fold }, viewer: amy, options, scope: '' });
    const rows = [{ id: 'with', attachments: [{ sha256: file.sha256 }] }, { id: 'without' }].map((given, place) => {
      const row = { subject: 'math', difficulty: 1, questionText: given.id, ...given };
      const cells = Object.entries(row).map(([header, value]) => ({ header, value }));
      const parts = { mapping: NO_MAPPING, typed: true, now: new Date(), limits: FILE_LIMITS };
      return storer.prepare(cardRow({ sheet: null, row: place + 1, cells }, parts));
    });
    expect(await storer.store(rows, null)).toMatchObject({
      counts: { created: 1, failed: 1 },
      problems: [{ row: 1, column: 'attachments', failed: true }],
    });
    expect([...(await fixture.cards.byIds(amy, ['with', 'without'])).keys()]).toEqual(['without']);
  });

  test('that gets a file while the last other card with it is deleted either has it or is refused', async () => {
    const amy = student(newTenant(), 'amy');
    for (let round = 0; round < 8; round++) {
      const file = await kept(amy, `round ${round}`);
      const one = await fixture.cards.create(amy, newCard({ attachments: [attached(file)] }));
      const [, created] = await Promise.allSettled([
        fixture.cards.delete(amy, one.id),
        fixture.cards.create(amy, newCard({ attachments: [attached(file)] })),
      ]);
      if (created.status === 'rejected') expect(created.reason).toMatchObject({ code: 'BAD_USER_INPUT' });
      expect(await isThere(amy, file)).toBe(created.status === 'fulfilled');
    }
  });
});
