import { BackgroundLoop } from '../domain/background-loop.js';
import type { Log } from '../domain/ports/log.js';
import type { Generations } from './generations.js';

/** Wait after a failure: Chroma may be away. */
const RETRY_MS = 2_000;

/** When nothing is left to do: the longest wait of a timer. */
const NEVER_MS = 2 ** 31 - 1;

export interface ModelChangeParts {
  readonly generations: Pick<Generations, 'outdated' | 'adopt'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Starts a new index generation for each tenant whose index is of another model than the configured one. A start waits
 * for the first tenant alone: with thousands of tenants, creating their collections takes minutes.
 */
export class ModelChange {
  readonly #loop = new BackgroundLoop({
    pass: async (_woken, signal) => {
      for (let [next] = this.#left; next !== undefined && !signal.aborted; [next] = this.#left) {
        // One that fails does not keep the others waiting.
        this.#left = [...this.#left.slice(1), next];
        await this.parts.generations.adopt(next);
        this.#left = this.#left.slice(0, -1);
      }
      return NEVER_MS;
    },
    onFailure: (err) => {
      this.parts.log.warn(
        { err, tenants: this.#left.length },
        'the model of a tenant could not be changed yet; it will be retried',
      );
      return RETRY_MS;
    },
  });
  readonly close = this.#loop.close;
  #left: readonly string[] = [];

  constructor(private readonly parts: ModelChangeParts) {}

  /** Reads which tenants are concerned, once: what another gateway starts later is not undone. */
  async start(firstTenantId: string): Promise<void> {
    const outdated = await this.parts.generations.outdated();
    if (outdated.includes(firstTenantId)) await this.parts.generations.adopt(firstTenantId);
    this.#left = outdated.filter((tenantId) => tenantId !== firstTenantId);
    if (this.#left.length > 0) this.#loop.start();
  }
}
