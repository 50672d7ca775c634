import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ForbiddenError, NotFoundError } from '../../../../src/domain/errors.js';
import type { Viewer } from '../../../../src/domain/viewer.js';
import { Importer, type ImporterParts } from '../../../../src/exchange/import/importer.js';
import { deferred } from '../../../support/deferred.js';
import { until } from '../../../support/until.js';
import { admin, newTenant, student } from '../../prisma/fixture.js';
import { FILE, fileOf, importerWorld } from './importer-world.js';

const { parts, imported } = await importerWorld();

describe('an import that is cancelled', () => {
  test('by its owner or an admin ends at once, keeps stored cards, and makes room for the next file', async () => {
    const tenant = newTenant();
    const viewer = student(tenant, 'li');
    for (const by of [viewer, admin(tenant)]) {
      const cancelled = deferred();
      let chunks = 0;
      const fold: ImporterParts['imports']['fold'] = async (...args) => {
        chunks += 1;
        if (chunks === 2) await cancelled.promise;
        return parts.imports.fold(...args);
      };
      const importer = new Importer({ ...parts, imports: { fold } });
      await importer.start();
      const { id } = await importer.importFile(viewer, FILE, fileOf(by === viewer ? 1_200 : 1_300));
      await until(() => chunks === 2, { deadlineMs: 30_000, what: 'the second chunk' });
      expect(await importer.cancel(by, id)).toMatchObject({ state: 'CANCELLED', read: 500 });
      cancelled.resolve();
      await importer.importFile(viewer, FILE, fileOf(2));
      await imported();
      expect(await importer.cancel(by, id)).toMatchObject({
        state: 'CANCELLED',
        read: 500,
        finishedAt: expect.any(Date),
      });
      await importer.close();
    }
  });

  test('by other viewers continues, or is not found', async () => {
    const tenant = newTenant();
    const importer = new Importer(parts);
    const { options } = FILE;
    const id = randomUUID();
    await parts.jobs.begin(student(tenant, 'li'), {
      id,
      key: 'rows:k',
      body: null,
      name: 'rows',
      format: 'rows',
      options,
    });
    const teacher: Viewer = { tenantId: tenant, ownerId: 'wu', role: 'teacher' };
    await expect(importer.cancel(teacher, id)).rejects.toThrow(ForbiddenError);
    for (const other of [student(tenant, 'wang'), admin(newTenant())])
      await expect(importer.cancel(other, id)).rejects.toThrow(NotFoundError);
    expect(await parts.jobs.job(admin(tenant), id)).toMatchObject({ state: 'CHECKING' });
  });
});
