import type { IndexerParts } from '../../../src/indexing/indexer.js';

/** What happens to the call that a fault strikes. */
export type Fault =
  /**
   * The process is gone before the call had any effect, or after it had all of it: nothing more is ever heard of it.
   */
  | { readonly kind: 'crash'; readonly when: 'before' | 'after' }
  /** The call fails, with or without its effect; all others work. */
  | { readonly kind: 'fail'; readonly when: 'before' | 'after'; readonly error: () => Error }
  /** The call takes until `until` resolves, and goes on then. */
  | { readonly kind: 'stall'; readonly until: Promise<void> };

/** The parts of an indexer, of which one call will meet a fault. */
export interface FaultyParts {
  readonly parts: IndexerParts;
  /** How many calls were made, and the name of each. */
  readonly calls: readonly string[];
  /** Resolves when the fault has struck. */
  readonly struck: Promise<void>;
}

/** What an indexer calls outside its process, by part. The words are in memory: they go with the process. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  outbox: ['claim', 'done', 'release', 'fail'],
  ledger: ['cards', 'indexed', 'generations', 'live'],
  vectorStore: ['read', 'labels', 'upsert', 'remove', 'removeCards'],
  cache: ['put', 'remove'],
  generations: ['writable', 'settle'],
};

/** @param at which call meets the fault: 1 is the first of all; or the first of a name, `outbox.claim`. */
export function faultyParts(parts: IndexerParts, at: number | string, fault: Fault): FaultyParts {
  const calls: string[] = [];
  let strike: () => void = () => undefined;
  const struck = new Promise<void>((resolve) => {
    strike = resolve;
  });
  let dead = false;
  const call = async (name: string, run: () => Promise<unknown>): Promise<unknown> => {
    if (dead) return never();
    const isIt = typeof at === 'number' ? calls.length + 1 === at : name === at && !calls.includes(name);
    calls.push(name);
    if (!isIt) return run();
    switch (fault.kind) {
      case 'crash': {
        dead = true;
        if (fault.when === 'after') await run();
        strike();
        return never();
      }
      case 'fail': {
        if (fault.when === 'after') await run();
        strike();
        throw fault.error();
      }
      case 'stall': {
        strike();
        await fault.until;
        return run();
      }
      default:
        return fault satisfies never;
    }
  };
  const wrap = <T extends object>(part: string, target: T, names: readonly string[]): T =>
    new Proxy({} as T, {
      get: (_target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const bound = value.bind(target) as (...args: unknown[]) => Promise<unknown>;
        if (!names.includes(String(name))) return bound;
        return (...args: unknown[]) => call(`${part}.${String(name)}`, () => bound(...args));
      },
    });
  const wrapped = Object.entries(CALLS).map(([part, names]) => {
    return [part, wrap(part, parts[part as keyof IndexerParts] as object, names)];
  });
  const faulty: IndexerParts = { ...parts, ...Object.fromEntries(wrapped) };
  const { generations } = faulty;
  // Which embedder makes the vectors, the generations say.
  const embedding = new Proxy(generations, {
    get: (_target, name) =>
      name !== 'writable'
        ? Reflect.get(generations, name)
        : async (tenantId: string) =>
            (await generations.writable(tenantId)).map(({ generation, embedder }) => ({
              generation,
              embedder: wrap('embedder', embedder, ['embed']),
            })),
  });
  return { parts: { ...faulty, generations: embedding }, calls, struck };
}

/** What a caller hears of a process that is gone. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}
