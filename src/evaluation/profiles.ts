import { BadInputError, StartupError } from '../domain/errors.js';
import type { ProfileStore, SearchProfiles } from '../domain/ports/evaluation.js';
import { LEARNED_PROFILE, type LearnedOperation, type LearnedProfile, type SearchProfile } from '../domain/profile.js';
import type { Viewer } from '../domain/viewer.js';
import type { LearnedProfiles } from './learning/learned-profiles.js';

/** Saved profiles listed in the error about an unknown SEARCH_PROFILE. */
const MAX_NAMED = 10;

/** The search profiles: built-in ones, the learned one, and those saved by a tenant. */
export class Profiles implements SearchProfiles {
  readonly #builtin: ReadonlyMap<string, SearchProfile>;
  readonly #first: SearchProfile;

  /**
   * @param builtin the first one is the default of tenants without the chosen one.
   * @param chosenName name of the profile of searches without one.
   */
  constructor(
    private readonly store: ProfileStore,
    builtin: readonly [SearchProfile, ...SearchProfile[]],
    private readonly chosenName: string,
    private readonly learned: Pick<LearnedProfiles, 'of'> = { of: async () => null },
  ) {
    this.#builtin = new Map(builtin.map((profile) => [profile.name, profile]));
    this.#first = builtin[0];
  }

  /** StartupError (78) if the chosen profile is neither built-in nor saved by any tenant. */
  async refuseUnknownChoice(): Promise<void> {
    if (this.#builtin.has(this.chosenName)) return;
    const saved = await this.store.names();
    if (saved.includes(this.chosenName)) return;
    const known = [...this.#builtin.keys(), ...saved.slice(0, MAX_NAMED)]
      .map((name) => JSON.stringify(name))
      .join(', ');
    const problem = `SEARCH_PROFILE: there is no search profile ${JSON.stringify(this.chosenName)}; there are ${known}`;
    throw new StartupError(
      `the settings are not usable: ${problem}: name one of these, or save it first by \`npm run errata -- profiles save FILE\``,
      78,
    );
  }

  async chosen(viewer: Viewer): Promise<SearchProfile> {
    if (this.chosenName === this.#first.name) {
      const learned = await this.learned.of(viewer);
      return learned === null ? this.#first : { ...this.#first, learned };
    }
    return this.#builtin.get(this.chosenName) ?? (await this.store.find(viewer, this.chosenName)) ?? this.#first;
  }

  async named(viewer: Viewer, name: string, field: string): Promise<SearchProfile> {
    const found = this.#builtin.get(name) ?? (await this.#ofNotebook(viewer, name));
    if (found === null) throw new BadInputError(field, `there is no search profile ${JSON.stringify(name)}`);
    return found;
  }

  async list(viewer: Viewer): Promise<readonly SearchProfile[]> {
    const learned = await this.learned.of(viewer);
    const saved = (await this.store.list(viewer)).filter(({ name }) => learned === null || name !== LEARNED_PROFILE);
    return [...this.#builtin.values(), ...(learned === null ? [] : [this.#profileOf(learned)]), ...saved];
  }

  async save(viewer: Viewer, profile: SearchProfile): Promise<SearchProfile> {
    this.refuseBuiltin(profile.name, 'input.name');
    await this.store.save(viewer, profile);
    return profile;
  }

  async delete(viewer: Viewer, name: string): Promise<boolean> {
    this.refuseBuiltin(name, 'name');
    return this.store.delete(viewer, name);
  }

  refuseBuiltin(name: string, field: string): void {
    if (this.#builtin.has(name)) throw new BadInputError(field, 'is the name of a built-in profile');
    if (name === LEARNED_PROFILE)
      throw new BadInputError(field, 'is the name of the profile that is learned from the notebook');
  }

  async #ofNotebook(viewer: Viewer, name: string): Promise<SearchProfile | null> {
    const learned = name === LEARNED_PROFILE ? await this.learned.of(viewer) : null;
    return learned === null ? this.store.find(viewer, name) : this.#profileOf(learned);
  }

  /** Its settings are those of `hybridSearch`. */
  #profileOf(learned: LearnedProfile): SearchProfile {
    const hybrid = learned.operations.find(({ operation, used }) => operation === 'hybridSearch' && used);
    const { settings } = hybrid ?? this.#first;
    return { name: LEARNED_PROFILE, description: describeLearned(learned), settings, learned };
  }
}

/** `.355` */
export function figure(value: number): string {
  return value.toFixed(3).replace(/^(-?)0/, '$1');
}

export function describeOperation({ operation, used, heldOutQueries, byDefault, learned }: LearnedOperation): string {
  const change = (measure: 'ndcgAt10' | 'mrr'): string =>
    `${figure(byDefault[measure])} to ${figure(learned[measure])}`;
  const outcome = used ? 'used' : 'not used';
  return `${operation} ${outcome} (nDCG@10 ${change('ndcgAt10')}, MRR ${change('mrr')} on ${heldOutQueries} held-out queries)`;
}

function describeLearned({ labelledCards, operations }: LearnedProfile): string {
  const head = `Learned from ${labelledCards} labelled cards of this notebook`;
  if (operations.length === 0) return `${head}: too few share labels to learn from.`;
  return `${head}: ${operations.map(describeOperation).join('; ')}.`;
}
