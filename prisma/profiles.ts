import { parseProfile } from '../src/domain/parse/profile.js';
import type { ProfileStore } from '../src/domain/ports/evaluation.js';
import type { ProfileSettings, SearchProfile } from '../src/domain/profile.js';
import type { Viewer } from '../src/domain/viewer.js';
import type { Database } from './client.js';
import { Prisma } from './generated/client.js';
import { ofTenant } from './visible.js';

/** What the table is called in the statements here. */
const P = Prisma.sql`p`;

/** The search profiles in PostgreSQL. */
export class PostgresProfileStore implements ProfileStore {
  /** `defaults` stand for what a profile does not say, as one of an older version may not. */
  constructor(
    private readonly database: Database,
    private readonly defaults: ProfileSettings,
  ) {}

  list(viewer: Viewer): Promise<readonly SearchProfile[]> {
    return this.#select(viewer, ofTenant(viewer, P));
  }

  async find(viewer: Viewer, name: string): Promise<SearchProfile | null> {
    const [found] = await this.#select(viewer, Prisma.sql`${ofTenant(viewer, P)} AND p.name = ${name}`);
    return found ?? null;
  }

  async names(): Promise<readonly string[]> {
    const rows = await this.database.query<{ name: string }>(Prisma.sql`
      SELECT DISTINCT name FROM search_profile ORDER BY name`);
    return rows.map(({ name }) => name);
  }

  async save(viewer: Viewer, { name, description, settings }: SearchProfile): Promise<void> {
    await this.database.as(viewer).execute(Prisma.sql`
      INSERT INTO search_profile (tenant_id, name, description, settings)
      VALUES (${viewer.tenantId}, ${name}, ${description}, ${JSON.stringify(settings)}::jsonb)
      ON CONFLICT (tenant_id, name) DO UPDATE
        SET description = excluded.description, settings = excluded.settings, updated_at = now()`);
  }

  async delete(viewer: Viewer, name: string): Promise<boolean> {
    const rows = await this.database.as(viewer).execute(Prisma.sql`
      DELETE FROM search_profile p WHERE ${ofTenant(viewer, P)} AND p.name = ${name}`);
    return rows > 0;
  }

  async #select(viewer: Viewer, where: Prisma.Sql): Promise<readonly SearchProfile[]> {
    const rows = await this.database.as(viewer).query<Record<string, unknown>>(Prisma.sql`
      SELECT name, description, settings FROM search_profile p WHERE ${where} ORDER BY name`);
    return rows.map((row) => parseProfile(row, 'profile', this.defaults));
  }
}
