import { abortable, inTurns } from '../domain/async.js';
import type { CardStore } from '../domain/ports/cards.js';
import type { CardVersion } from '../domain/ports/ledger.js';
import { type Viewer, visibleOwner } from '../domain/viewer.js';
import { LexicalIndex } from '../lexical/lexical-index.js';
import type { Analyse } from '../lexical/terms.js';

/** Cards in all owners' indexes; beyond that, the least recently used indexes are dropped. */
const MAX_CARDS = 15_000;

/** An empty index takes as much memory as so many cards. */
const CARDS_OF_EMPTY_INDEX = 30;

/** Building an owner's index goes on whoever waits for it. */
const NEVER = new AbortController().signal;

/** Cards that are read at a time. */
const PAGE = 500;

export interface ViewerIndexesParts {
  /** Of whole tenants; loaded where they are not in memory. */
  readonly tenants: { load(tenantId: string, signal: AbortSignal): Promise<LexicalIndex> };
  readonly cards: Pick<CardStore, 'byIds'>;
  readonly analyse: Analyse;
  /** Called for each use of an owner's index with whether it was cached. */
  readonly onAsked: (cached: boolean) => void;
}

interface OwnerIndex {
  readonly index: LexicalIndex;
  /** Of each card, in the tenant's index. */
  versions: ReadonlyMap<string, CardVersion>;
  /** The tenant's index that it follows, which may leave memory, and how often that had changed. */
  tenant: WeakRef<LexicalIndex> | null;
  tenantChanges: number;
  lastTurn: Promise<unknown>;
}

/**
 * The lexical index of the cards that a viewer may see: the tenant's, or one of the owner's cards alone. With an index of their
 * own, the rarity of terms, the labels and the label profiles come from the viewer's own cards, so that no answer tells anything
 * of another's. An owner's index is built when it is first used. From then on it follows the tenant's index, whose filter columns
 * say which cards are the owner's; their texts come from PostgreSQL.
 */
export class ViewerIndexes {
  readonly #parts: ViewerIndexesParts;
  /** The most recently used is the last. */
  readonly #owners = new Map<string, OwnerIndex>();

  constructor(parts: ViewerIndexesParts) {
    this.#parts = parts;
  }

  /** An owner's index has the cards that the tenant's has. Building it goes on if the signal aborts. */
  async of(viewer: Viewer, signal: AbortSignal): Promise<LexicalIndex> {
    const { tenants } = this.#parts;
    if (visibleOwner(viewer) === undefined) return tenants.load(viewer.tenantId, signal);
    const owner = this.#ownerOf(viewer);
    const turn = owner.lastTurn.then(() => this.#follow(viewer, owner));
    owner.lastTurn = turn.catch(() => undefined);
    await abortable(turn, signal);
    return owner.index;
  }

  #ownerOf({ tenantId, ownerId, role }: Viewer): OwnerIndex {
    const key = JSON.stringify([tenantId, ownerId, role]);
    const known = this.#owners.get(key);
    this.#parts.onAsked(known !== undefined);
    const owner = known ?? {
      index: new LexicalIndex(this.#parts.analyse),
      versions: new Map(),
      tenant: null,
      tenantChanges: 0,
      lastTurn: Promise.resolve(),
    };
    this.#owners.delete(key);
    this.#owners.set(key, owner);
    return owner;
  }

  async #follow(viewer: Viewer, owner: OwnerIndex): Promise<void> {
    const { cards, tenants } = this.#parts;
    const { index, versions: before } = owner;
    const tenant = await tenants.load(viewer.tenantId, NEVER);
    const tenantChanges = tenant.changes;
    const isSame = tenant === owner.tenant?.deref() && tenantChanges === owner.tenantChanges;
    // The index has more cards if a search indexed one that was created and deleted since the last time.
    if (isSame && index.size === before.size) return;
    const versions = new Map<string, CardVersion>();
    for (const cardId of tenant.idsOf(tenant.ownedBy(viewer.ownerId))) {
      versions.set(cardId, tenant.versionOf(cardId) as CardVersion);
    }
    await inTurns(index.cardIds(), (id) => {
      if (!versions.has(id)) index.delete(id);
    });
    const changed = [...versions].flatMap(([id, { revision, updatedAtMs }]) => {
      const known = before.get(id);
      return known?.revision === revision && known.updatedAtMs === updatedAtMs ? [] : [id];
    });
    for (let at = 0; at < changed.length; at += PAGE) {
      const page = await cards.byIds(viewer, changed.slice(at, at + PAGE));
      await inTurns(page.values(), (card) => {
        // A card that was deleted and created again may have an older revision.
        index.delete(card.id);
        index.set(card);
      });
    }
    owner.versions = versions;
    owner.tenant = new WeakRef(tenant);
    owner.tenantChanges = tenantChanges;
    this.#dropOldest(owner);
  }

  #dropOldest(newest: OwnerIndex): void {
    let kept = [...this.#owners.values()].reduce((sum, owner) => sum + sizeOf(owner), 0);
    for (const [key, owner] of this.#owners) {
      if (kept <= MAX_CARDS) return;
      if (owner === newest) continue;
      this.#owners.delete(key);
      kept -= sizeOf(owner);
    }
  }
}

function sizeOf({ versions }: OwnerIndex): number {
  return versions.size + CARDS_OF_EMPTY_INDEX;
}
