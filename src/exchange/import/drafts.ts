import { questionOf } from '../../domain/card.js';
import type { CanonicalQuestion } from '../../domain/duplicates.js';
import type { CardDraft, StoredCards } from '../../domain/ports/imports.js';
import { canonicalQuestion } from '../../text/canonical-question.js';
import { DUPLICATE_THRESHOLD, nearnessOf } from '../../text/duplicate-questions.js';
import { hasReplacedWord } from '../../text/replaced-words.js';
import type { PreparedRow } from './row.js';

/** Limit of near questions that are compared word by word: a request may have hundreds of variants of one question. */
const MAX_COMPARED = 5;

/** The cards that rows are folded into, indexed by the keys that a row may share with a card. */
export class Drafts {
  readonly #drafts = new Map<string, CardDraft>();
  readonly #byKey = new Map<string, string[]>();
  readonly #byBand = new Map<number, string[]>();
  readonly #byOrigin = new Map<string, string>();
  readonly #byMergedId = new Map<string, string>();
  readonly #canonical = new Map<string, CanonicalQuestion>();

  constructor(private readonly view: StoredCards) {
    for (const draft of view.cards) this.#index(draft);
  }

  byId(id: string): CardDraft | undefined {
    return this.#drafts.get(id);
  }

  /** True for the id of a card that the viewer may not change. */
  isTaken(id: string): boolean {
    return this.view.taken.has(id);
  }

  /** True for the id of a card that the viewer may see but not change. */
  isForeign(id: string): boolean {
    return this.view.foreign.has(id);
  }

  /** The card that an earlier import of the same row has created or extended. */
  withOrigin(origin: string): CardDraft | undefined {
    return this.#drafts.get(this.#byOrigin.get(origin) ?? '');
  }

  /** The card that a card with this id was merged into. */
  withMergedId(id: string): CardDraft | undefined {
    return this.#drafts.get(this.#byMergedId.get(id) ?? '');
  }

  isSameQuestion(row: PreparedRow, draft: CardDraft): boolean {
    return row.fingerprints.key === draft.fingerprints.key || this.#nearness(row, draft) >= DUPLICATE_THRESHOLD;
  }

  /**
   * The owner's card that asks the row's question: the identical one if there is one, else the nearest duplicate in
   * which no word is replaced by another one.
   */
  duplicateOf(row: PreparedRow, ownerId: string): CardDraft | undefined {
    const isOwn = (draft: CardDraft | undefined): draft is CardDraft => draft?.ownerId === ownerId;
    const same = (this.#byKey.get(row.fingerprints.key) ?? []).map((id) => this.#drafts.get(id)).find(isOwn);
    if (same !== undefined) return same;
    const near: { readonly draft: CardDraft; readonly nearness: number }[] = [];
    for (const id of new Set(row.fingerprints.bands.flatMap((band) => this.#byBand.get(band) ?? []))) {
      const draft = this.#drafts.get(id);
      if (!isOwn(draft)) continue;
      const nearness = this.#nearness(row, draft);
      if (nearness >= DUPLICATE_THRESHOLD) near.push({ draft, nearness });
    }
    near.sort((a, b) => b.nearness - a.nearness || (a.draft.id < b.draft.id ? -1 : 1));
    const isSame = ({ draft }: (typeof near)[number]): boolean =>
      !hasReplacedWord(row.canonical, this.#canonicalOf(draft));
    return near.slice(0, MAX_COMPARED).find(isSame)?.draft;
  }

  add(row: PreparedRow, draft: CardDraft): void {
    this.#canonical.set(draft.id, row.canonical);
    this.#index(draft);
  }

  /** Replaces the state of a card. */
  set(draft: CardDraft): void {
    const before = this.#drafts.get(draft.id);
    if (before === draft) return;
    if (before === undefined || questionOf(before.content) !== questionOf(draft.content))
      this.#canonical.delete(draft.id);
    this.#index(draft);
  }

  /** New and changed cards, in order of first use. */
  toWrite(): readonly CardDraft[] {
    return [...this.#drafts.values()].filter(({ state }) => state !== 'STORED');
  }

  #index(draft: CardDraft): void {
    const before = this.#drafts.get(draft.id);
    this.#drafts.set(draft.id, draft);
    for (const { origin, mergedId } of draft.occurrences) {
      if (origin !== null) this.#byOrigin.set(origin, draft.id);
      if (mergedId !== null) this.#byMergedId.set(mergedId, draft.id);
    }
    if (before?.fingerprints.key === draft.fingerprints.key) return;
    if (before !== undefined) {
      remove(this.#byKey, before.fingerprints.key, draft.id);
      for (const band of before.fingerprints.bands) remove(this.#byBand, band, draft.id);
    }
    push(this.#byKey, draft.fingerprints.key, draft.id);
    for (const band of draft.fingerprints.bands) push(this.#byBand, band, draft.id);
  }

  #nearness(row: PreparedRow, draft: CardDraft): number {
    return nearnessOf(row.canonical, this.#canonicalOf(draft));
  }

  #canonicalOf(draft: CardDraft): CanonicalQuestion {
    const canonical = this.#canonical.get(draft.id) ?? canonicalQuestion(questionOf(draft.content));
    this.#canonical.set(draft.id, canonical);
    return canonical;
  }
}

function push<Key>(map: Map<Key, string[]>, key: Key, id: string): void {
  const ids = map.get(key);
  if (ids === undefined) map.set(key, [id]);
  else ids.push(id);
}

function remove<Key>(map: Map<Key, string[]>, key: Key, id: string): void {
  const others = (map.get(key) ?? []).filter((one) => one !== id);
  if (others.length === 0) map.delete(key);
  else map.set(key, others);
}
