import { BadInputError } from '../domain/errors.js';
import type { ProfileStore, SearchProfiles } from '../domain/ports/evaluation.js';
import type { SearchProfile } from '../domain/profile.js';
import type { Viewer } from '../domain/viewer.js';
import { refuseStudents } from './permission.js';

/** The search profiles by name: those that every gateway has, and those that a school saved. */
export class Profiles implements SearchProfiles {
  readonly #store: ProfileStore;
  readonly #builtin: ReadonlyMap<string, SearchProfile>;

  constructor(store: ProfileStore, builtin: readonly SearchProfile[]) {
    this.#store = store;
    this.#builtin = new Map(builtin.map((profile) => [profile.name, profile]));
  }

  async named(viewer: Viewer, name: string, field: string): Promise<SearchProfile> {
    const found = this.#builtin.get(name) ?? (await this.#store.find(viewer, name));
    if (found === null) throw new BadInputError(field, `there is no search profile ${JSON.stringify(name)}`);
    return found;
  }

  async list(viewer: Viewer): Promise<readonly SearchProfile[]> {
    return [...this.#builtin.values(), ...(await this.#store.list(viewer))];
  }

  async save(viewer: Viewer, profile: SearchProfile): Promise<SearchProfile> {
    refuseStudents(viewer);
    this.refuseBuiltin(profile.name, 'input.name');
    await this.#store.save(viewer, profile);
    return profile;
  }

  async delete(viewer: Viewer, name: string): Promise<boolean> {
    refuseStudents(viewer);
    this.refuseBuiltin(name, 'name');
    return this.#store.delete(viewer, name);
  }

  refuseBuiltin(name: string, field: string): void {
    if (this.#builtin.has(name)) throw new BadInputError(field, 'is the name of a profile that every gateway has');
  }
}
