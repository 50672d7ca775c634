import { type LabelKind, type LabelSpellings, labelKey } from '../../../../src/domain/labels.js';
import type { CardDraft, Folded, ImportStore, StoredCards, WantedCards } from '../../../../src/domain/ports/imports.js';
import type { Viewer } from '../../../../src/domain/viewer.js';

/**
 * A notebook in memory that gives back every card, wanted or not: what is found does not depend on how it is looked up.
 */
export class MemoryImportStore implements Pick<ImportStore, 'fold'> {
  cards: readonly CardDraft[] = [];

  async fold(
    _viewer: Viewer,
    _wanted: WantedCards,
    decide: (view: StoredCards) => Folded | Promise<Folded>,
    { dryRun }: { readonly dryRun: boolean },
  ): Promise<Folded> {
    const none = { taken: new Set<string>(), foreign: new Set<string>(), files: new Map() };
    const folded = await decide({ cards: this.cards, labels: this.#labels(), ...none });
    if (!dryRun) this.#write(folded.drafts);
    return folded;
  }

  /** Occurrences name error types too. */
  #labels(): LabelSpellings {
    const named = (kind: LabelKind) =>
      this.cards.flatMap(({ content, occurrences }) => [
        ...content[kind],
        ...(kind === 'errorTypes' ? occurrences.flatMap(({ errorTypes }) => errorTypes) : []),
      ]);
    const names = (kind: LabelKind) => new Map(named(kind).map((name) => [labelKey(name), name]));
    return { topicTags: names('topicTags'), errorTypes: names('errorTypes') };
  }

  #write(drafts: readonly CardDraft[]): void {
    const written = new Map(drafts.map((draft) => [draft.id, { ...draft, state: 'STORED' as const }]));
    const kept = this.cards.map((card) => written.get(card.id) ?? card);
    const known = new Set(this.cards.map(({ id }) => id));
    this.cards = [...kept, ...[...written.values()].filter(({ id }) => !known.has(id))];
  }
}
