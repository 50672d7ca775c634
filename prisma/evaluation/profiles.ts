import { parseProfile } from '../../src/domain/parse/profile.js';
import type { ProfileStore } from '../../src/domain/ports/evaluation.js';
import type { SearchProfile } from '../../src/domain/profile.js';
import type { ProfileSettings } from '../../src/domain/search.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Database } from '../client.js';
import { deleteAny, json } from '../statements.js';
import { tenantOf } from '../viewer-conditions.js';

export class PostgresProfileStore implements ProfileStore {
  /** `defaults`: values of settings that profiles of older versions lack. */
  constructor(
    private readonly database: Database,
    private readonly defaults: ProfileSettings,
  ) {}

  list(viewer: Viewer): Promise<readonly SearchProfile[]> {
    return this.#read(viewer, {});
  }

  async find(viewer: Viewer, name: string): Promise<SearchProfile | null> {
    const [found] = await this.#read(viewer, { name });
    return found ?? null;
  }

  async names(): Promise<readonly string[]> {
    const rows = await this.database.run(({ searchProfile }) =>
      searchProfile.findMany({ distinct: ['name'], select: { name: true }, orderBy: { name: 'asc' } }),
    );
    return rows.map(({ name }) => name);
  }

  async save(viewer: Viewer, { name, description, settings: given }: SearchProfile): Promise<void> {
    const { tenantId } = viewer;
    const settings = json(given);
    await this.database.as(viewer).transaction((tx) =>
      tx.prisma.searchProfile.upsert({
        where: { tenantId_name: { tenantId, name } },
        create: { tenantId, name, description, settings },
        update: { description, settings, updatedAt: tx.now },
      }),
    );
  }

  delete(viewer: Viewer, name: string): Promise<boolean> {
    const where = { ...tenantOf(viewer), name };
    return deleteAny(this.database.as(viewer), (prisma) => prisma.searchProfile.deleteMany({ where }));
  }

  async #read(viewer: Viewer, named: { readonly name?: string }): Promise<readonly SearchProfile[]> {
    const rows = await this.database.as(viewer).transaction(({ prisma }) =>
      prisma.searchProfile.findMany({
        where: { ...tenantOf(viewer), ...named },
        select: { name: true, description: true, settings: true },
        orderBy: { name: 'asc' },
      }),
    );
    return rows.map((row) => parseProfile(row, 'profile', this.defaults));
  }
}
