import type { NewCard } from '../../domain/card.js';
import { NO_COUNTS } from '../../domain/import.js';
import { LabelSpelling } from '../../domain/labels.js';
import { ownOccurrence } from '../../domain/occurrence.js';
import type { CardDraft, ImportStore } from '../../domain/ports/imports.js';
import type { Viewer } from '../../domain/viewer.js';
import { questionKeys } from '../../text/duplicate-questions.js';

/** A card whose id the caller chose. */
export type IdentifiedCard = NewCard & { readonly id: string };

/**
 * Creates cards in one transaction, so that lists by creation time have the order of their ids; skips those whose id
 * exists. Returns how many it has created.
 */
export async function createAll(
  imports: Pick<ImportStore, 'fold'>,
  viewer: Viewer,
  cards: readonly IdentifiedCard[],
): Promise<number> {
  const { ownerId } = viewer;
  const wanted = {
    ids: cards.map(({ id }) => id),
    labels: {
      topicTags: cards.flatMap(({ topicTags }) => topicTags),
      errorTypes: cards.flatMap(({ errorTypes }) => errorTypes),
    },
    ...{ keys: [], bands: [], origins: [], files: [], heldBytes: 0 },
  };
  const folded = await imports.fold(
    viewer,
    wanted,
    (view) => {
      const existing = new Set([...view.taken, ...view.cards.map(({ id }) => id)]);
      const spelling = new LabelSpelling(view.labels);
      const draftOf = ({ id, ...given }: IdentifiedCard): CardDraft => {
        const content = {
          ...given,
          topicTags: spelling.of('topicTags', given.topicTags),
          errorTypes: spelling.of('errorTypes', given.errorTypes),
        };
        const occurrences = [{ ...ownOccurrence(content), origin: null }];
        const { fingerprints } = questionKeys(viewer, content);
        return { id, ownerId, content, fingerprints, occurrences, state: 'NEW' };
      };
      const drafts = cards.filter(({ id }) => !existing.has(id)).map(draftOf);
      return { drafts, files: [], counts: NO_COUNTS, problems: [], rows: [] };
    },
    { step: null, dryRun: false },
  );
  return folded?.drafts.length ?? 0;
}
