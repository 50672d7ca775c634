import { abortable, inTurns } from '../domain/async.js';
import type { CardStore } from '../domain/ports/cards.js';
import type { CardVersion } from '../domain/ports/ledger.js';
import type { EncodedSnapshot } from '../domain/ports/lexical.js';
import { type Viewer, visibleOwner } from '../domain/viewer.js';
import { isVersion } from '../lexical/card-table.js';
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

/**
 * If more than this share of an owner's cards has changed, their index is copied from the tenant's as a whole: copying
 * a card takes a fraction of reading and analysing its texts (`npm run bench -- owners`).
 */
const CHANGED_SHARE = 0.05;

interface OwnerIndex {
  index: LexicalIndex;
  /** Of each card, in the tenant's index. */
  versions: ReadonlyMap<string, CardVersion>;
  /** The tenant's index that it follows, which may leave memory, and how often that had changed. */
  tenant: WeakRef<LexicalIndex> | null;
  tenantChanges: number;
  lastTurn: Promise<unknown>;
}

/**
 * The lexical index of the cards that a viewer may see: the tenant's, or one of the owner's cards alone. With an index
 * of their own, the rarity of terms, the labels and the label profiles come from the viewer's own cards, so that no
 * answer tells anything of another's. An owner's index is copied from the tenant's when it is first used: its filter
 * columns say which cards are the owner's. From then on it follows the tenant's; the texts of a few changed cards come
 * from PostgreSQL.
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
    const { tenants } = this.#parts;
    const { index, versions: before } = owner;
    const tenant = await tenants.load(viewer.tenantId, NEVER);
    const tenantChanges = tenant.changes;
    const isSame = tenant === owner.tenant?.deref() && tenantChanges === owner.tenantChanges;
    // The index has more cards if a search indexed one that was created and deleted since the last time.
    if (isSame && index.size === before.size) return;
    const own = tenant.ownedBy(viewer.ownerId);
    const versions = new Map<string, CardVersion>();
    for (const cardId of tenant.cards.idsOf(own)) versions.set(cardId, tenant.cards.versionOf(cardId) as CardVersion);
    const changed = [...versions].flatMap(([id, version]) => (isVersion(before.get(id), version) ? [] : [id]));
    if (changed.length > CHANGED_SHARE * versions.size) {
      owner.index = await this.#copied(tenant.snapshotOf(own));
    } else {
      await inTurns(index.cards.ids(), (id) => {
        if (!versions.has(id)) index.delete(id);
      });
      await this.#read(viewer, changed, index);
    }
    owner.versions = versions;
    owner.tenant = new WeakRef(tenant);
    owner.tenantChanges = tenantChanges;
    this.#dropOldest(owner);
  }

  async #copied(snapshot: EncodedSnapshot): Promise<LexicalIndex> {
    const index = new LexicalIndex(this.#parts.analyse);
    await inTurns(
      index.restore(snapshot, () => true),
      () => undefined,
    );
    return index;
  }

  async #read(viewer: Viewer, cardIds: readonly string[], into: LexicalIndex): Promise<void> {
    for (let at = 0; at < cardIds.length; at += PAGE) {
      const page = await this.#parts.cards.byIds(viewer, cardIds.slice(at, at + PAGE));
      await inTurns(page.values(), (card) => {
        // A card that was deleted and created again may have an older revision.
        into.delete(card.id);
        into.set(card);
      });
    }
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
