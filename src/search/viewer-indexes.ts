import { abortable } from '../domain/async.js';
import type { CardStore } from '../domain/ports/cards.js';
import type { CardVersion } from '../domain/ports/ledger.js';
import { atOnce, inSteps, inTurns } from '../domain/steps.js';
import { Turns } from '../domain/turns.js';
import { type Viewer, visibleOwner } from '../domain/viewer.js';
import { LexicalIndex } from '../lexical/lexical-index.js';
import type { Analyse } from '../lexical/terms.js';

/** Cards in all owners' indexes; beyond that, the least recently used indexes are dropped. */
const MAX_CARDS = 15_000;

/** An empty index takes as much memory as so many cards. */
const CARDS_OF_EMPTY_INDEX = 30;

/** Building an owner's index goes on whoever waits for it. */
const NEVER = new AbortController().signal;

/**
 * An owner's index is copied with pauses, and anew if the tenant's changes meanwhile; after so many times, without a
 * pause.
 */
const COPIES_WITH_PAUSES = 3;

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
  /** How many cards the owner had in the tenant's index. */
  cards: number;
  /** The tenant's index that it follows, which may leave memory, and how often that had changed. */
  tenant: WeakRef<LexicalIndex> | null;
  tenantChanges: number;
  /** One search at a time brings it up to date. */
  readonly turns: Turns;
}

/**
 * The lexical index of the cards that a viewer may see: the tenant's, or one of the owner's cards alone. With an index
 * of their own, the rarity of terms, the labels and the label profiles come from the viewer's own cards, so that no
 * answer tells anything of another's. An owner's index is copied from the tenant's when it is first used: its filter
 * columns say which cards are the owner's. From then on it follows the tenant's; the texts of a few changed cards come
 * from PostgreSQL.
 */
export class ViewerIndexes {
  /** The most recently used is the last. */
  readonly #owners = new Map<string, OwnerIndex>();

  constructor(private readonly parts: ViewerIndexesParts) {}

  /** An owner's index has the cards that the tenant's has. Building it goes on if the signal aborts. */
  async of(viewer: Viewer, signal: AbortSignal): Promise<LexicalIndex> {
    const { tenants } = this.parts;
    if (visibleOwner(viewer) === undefined) return tenants.load(viewer.tenantId, signal);
    const owner = this.#ownerOf(viewer);
    await abortable(
      owner.turns.run(() => this.#follow(viewer, owner)),
      signal,
    );
    return owner.index;
  }

  #ownerOf({ tenantId, ownerId, role }: Viewer): OwnerIndex {
    const key = JSON.stringify([tenantId, ownerId, role]);
    const known = this.#owners.get(key);
    this.parts.onAsked(known !== undefined);
    const owner = known ?? {
      index: new LexicalIndex(this.parts.analyse),
      cards: 0,
      tenant: null,
      tenantChanges: 0,
      turns: new Turns(1),
    };
    this.#owners.delete(key);
    this.#owners.set(key, owner);
    // Also while none can be built, as during an outage: an empty index takes 200 kB.
    this.#dropOldest(owner);
    return owner;
  }

  async #follow(viewer: Viewer, owner: OwnerIndex, copies = 0): Promise<void> {
    const { tenants } = this.parts;
    const { index } = owner;
    const tenant = await tenants.load(viewer.tenantId, NEVER);
    const tenantChanges = tenant.changes;
    const isSame = tenant === owner.tenant?.deref() && tenantChanges === owner.tenantChanges;
    // The index has more cards if a search indexed one that was created and deleted since the last time.
    if (isSame && index.size === owner.cards) return;
    const own = tenant.matching({ owners: [viewer.ownerId] });
    const ids = tenant.cards.idsOf(own);
    const changed = ids.filter((id) => !index.cards.holds(id, tenant.cards.versionOf(id) as CardVersion));
    if (changed.length > CHANGED_SHARE * ids.length) {
      const steps = tenant.snapshotOf(own);
      const copy = copies < COPIES_WITH_PAUSES ? await inSteps(steps) : atOnce(steps);
      if (copy === null) return this.#follow(viewer, owner, copies + 1);
      const restored = new LexicalIndex(this.parts.analyse);
      await inSteps(restored.restore(copy, () => true));
      owner.index = restored;
    } else {
      const present = new Set(ids);
      await inTurns(index.cards.ids(), (id) => {
        if (!present.has(id)) index.delete(id);
      });
      await this.#read(viewer, changed, index);
    }
    owner.cards = ids.length;
    owner.tenant = new WeakRef(tenant);
    owner.tenantChanges = tenantChanges;
    this.#dropOldest(owner);
  }

  async #read(viewer: Viewer, cardIds: readonly string[], into: LexicalIndex): Promise<void> {
    for (let at = 0; at < cardIds.length; at += PAGE) {
      const page = await this.parts.cards.byIds(viewer, cardIds.slice(at, at + PAGE));
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

function sizeOf({ cards }: OwnerIndex): number {
  return cards + CARDS_OF_EMPTY_INDEX;
}
