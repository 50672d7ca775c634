import { NotFoundError } from '../domain/errors.js';
import { caseIdOf } from '../domain/golden.js';
import type { HitJudgement } from '../domain/parse/golden.js';
import type { CardStore } from '../domain/ports/cards.js';
import type { GoldenStore, JudgedHit } from '../domain/ports/evaluation.js';
import type { Viewer } from '../domain/viewer.js';

/** Default set of judged hits. */
const JUDGED_SET = 'judged';

/** Stores the judgement of a hit. NotFoundError if the hit or the query card does not exist. */
export async function judgeHit(
  { golden, cards }: { readonly golden: Pick<GoldenStore, 'judge'>; readonly cards: Pick<CardStore, 'byIds'> },
  viewer: Viewer,
  judged: HitJudgement,
): Promise<JudgedHit> {
  const { subject } = judged.query;
  const cardIds = [judged.cardId, ...(subject.kind === 'card' ? [subject.cardId] : [])];
  const found = await cards.byIds(viewer, cardIds);
  const missing = cardIds.find((id) => !found.has(id));
  if (missing !== undefined) throw new NotFoundError('card', missing);
  return golden.judge(viewer, { ...judged, set: judged.set ?? JUDGED_SET, caseId: caseIdOf(judged.query) });
}
