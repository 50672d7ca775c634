import { BadInputError, NotFoundError } from '../domain/errors.js';
import { cardsByGivenIds, type MergeableCards } from '../domain/given-ids.js';
import { caseIdOf } from '../domain/golden.js';
import { FINDS_ITSELF, type HitJudgement } from '../domain/parse/golden.js';
import type { GoldenStore, JudgedHit } from '../domain/ports/evaluation.js';
import type { Viewer } from '../domain/viewer.js';

const JUDGED_SET = 'judged';

/**
 * Stores the judgement of a hit. NotFoundError if the hit or the query card does not exist; BadInputError (`cardId`) if
 * one was merged into the other.
 */
export async function judgeHit(
  { golden, cards }: { readonly golden: Pick<GoldenStore, 'judge'>; readonly cards: MergeableCards },
  viewer: Viewer,
  judged: HitJudgement,
): Promise<JudgedHit> {
  const { subject } = judged.query;
  const given = [judged.cardId, ...(subject.kind === 'card' ? [subject.cardId] : [])];
  const found = await cardsByGivenIds(cards, viewer, given);
  const idOf = (id: string): string => {
    const card = found.get(id);
    if (card === undefined) throw new NotFoundError('card', id);
    return card.id;
  };
  const cardId = idOf(judged.cardId);
  const asked = subject.kind === 'card' ? idOf(subject.cardId) : null;
  if (asked === cardId) throw new BadInputError('cardId', FINDS_ITSELF);
  const query = asked === null ? judged.query : { ...judged.query, subject: { kind: 'card' as const, cardId: asked } };
  return golden.judge(viewer, { ...judged, cardId, query, set: judged.set ?? JUDGED_SET, caseId: caseIdOf(query) });
}
