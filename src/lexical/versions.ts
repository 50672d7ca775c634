/** The versions of cards as they were at one moment, by slot; revision 0 where there is no card. */
export interface VersionsSnapshot {
  readonly revisions: Uint32Array;
  readonly updatedAtMs: Float64Array;
}

/**
 * Which version of each card is here. A revision alone does not tell: a database that was restored from
 * a backup gives some of them out again, so the time of the change belongs to it.
 */
export class Versions {
  #revisions = new Uint32Array(64);
  #updatedAtMs = new Float64Array(64);

  /** 0 where there is no card. */
  revision(slot: number): number {
    return this.#revisions[slot] ?? 0;
  }

  is(slot: number, revision: number, updatedAtMs: number): boolean {
    return this.#revisions[slot] === revision && this.#updatedAtMs[slot] === updatedAtMs;
  }

  /** Revisions count from 1. */
  set(slot: number, revision: number, updatedAtMs: number): void {
    if (slot >= this.#revisions.length) this.#grow(Math.max(slot + 1, Math.ceil(this.#revisions.length * 1.5)));
    this.#revisions[slot] = revision;
    this.#updatedAtMs[slot] = updatedAtMs;
  }

  clear(slot: number): void {
    this.#revisions[slot] = 0;
  }

  /** A copy of the first slots, as many as are asked for. */
  copy(slots: number): VersionsSnapshot {
    if (slots > this.#revisions.length) this.#grow(slots);
    return { revisions: this.#revisions.slice(0, slots), updatedAtMs: this.#updatedAtMs.slice(0, slots) };
  }

  /** Takes over the versions of the cards that are to be kept: 1 by slot. */
  restore(copy: VersionsSnapshot, kept: Uint8Array): void {
    this.#revisions = copy.revisions.map((revision, slot) => (kept[slot] === 1 ? revision : 0));
    this.#updatedAtMs = Float64Array.from(copy.updatedAtMs);
  }

  #grow(capacity: number): void {
    const revisions = new Uint32Array(capacity);
    const updatedAtMs = new Float64Array(capacity);
    revisions.set(this.#revisions);
    updatedAtMs.set(this.#updatedAtMs);
    this.#revisions = revisions;
    this.#updatedAtMs = updatedAtMs;
  }
}
