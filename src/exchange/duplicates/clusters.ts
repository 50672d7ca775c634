import { questionOf } from '../../domain/card.js';
import type { CanonicalQuestion, ComparedCard, DuplicateCluster } from '../../domain/duplicates.js';
import { canonicalQuestion } from '../../text/canonical-question.js';
import { DUPLICATE_THRESHOLD, nearnessOf, questionFingerprints } from '../../text/duplicate-questions.js';

/**
 * Clusters of duplicates among candidate cards: each card is near enough to the first of its cluster. The largest
 * cluster comes first, then the one with the nearest cards, then by id. `groups` hold ids; a card may be in several,
 * and in none with those that it is a duplicate of.
 */
export function clustersOf<C extends ComparedCard>(
  groups: readonly (readonly string[])[],
  cards: ReadonlyMap<string, C>,
): readonly DuplicateCluster<C>[] {
  const questions = new Map<string, { readonly canonical: CanonicalQuestion; readonly key: string }>();
  const comparable = (card: C): { readonly canonical: CanonicalQuestion; readonly key: string } => {
    const known = questions.get(card.id);
    if (known !== undefined) return known;
    const text = questionOf(card);
    const canonical = canonicalQuestion(text);
    const question = { canonical, key: questionFingerprints(card, text, canonical).key };
    questions.set(card.id, question);
    return question;
  };
  const groupsOf = new Map<string, (readonly string[])[]>();
  for (const group of groups) for (const id of group) groupsOf.set(id, [...(groupsOf.get(id) ?? []), group]);
  const clustered = new Set<string>();
  const clusters: DuplicateCluster<C>[] = [];
  for (const first of [...groupsOf.keys()].flatMap((id) => cards.get(id) ?? []).sort(byMergeOrder)) {
    if (clustered.has(first.id)) continue;
    const own = comparable(first);
    const members: C[] = [first];
    let exact = true;
    let least = 1;
    const neighbours = new Set((groupsOf.get(first.id) ?? []).flat());
    for (const card of [...neighbours].flatMap((id) => cards.get(id) ?? []).sort(byMergeOrder)) {
      if (card === first || clustered.has(card.id) || card.ownerId !== first.ownerId) continue;
      const other = comparable(card);
      const isSame = own.key === other.key;
      const nearness = isSame ? 1 : nearnessOf(own.canonical, other.canonical);
      if (nearness < DUPLICATE_THRESHOLD) continue;
      members.push(card);
      exact &&= isSame;
      least = Math.min(least, nearness);
    }
    if (members.length < 2) continue;
    for (const { id } of members) clustered.add(id);
    clusters.push({ cards: members, exact, nearness: least });
  }
  return clusters.sort(
    (a, b) => b.cards.length - a.cards.length || b.nearness - a.nearness || (firstId(a) < firstId(b) ? -1 : 1),
  );
}

/** Most occurrences first, then the oldest. */
function byMergeOrder(a: ComparedCard, b: ComparedCard): number {
  return b.occurrences - a.occurrences || a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);
}

function firstId({ cards }: DuplicateCluster<ComparedCard>): string {
  return cards[0]?.id ?? '';
}
