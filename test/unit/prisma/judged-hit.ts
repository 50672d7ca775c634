import type { NamedHitJudgement } from '../../../src/domain/ports/evaluation.js';

/** A hit of a search by a text, judged in a set of its own. */
export function judgedHit(over: Partial<NamedHitJudgement> = {}): NamedHitJudgement {
  return {
    set: 'judged',
    caseId: 'q1',
    query: { operation: 'byError', subject: { kind: 'text', text: 'sign error' }, filter: {} },
    cardId: 'c1',
    relevance: 'SAME_MISTAKE',
    reason: null,
    ...over,
  };
}
