import { NotFoundError } from '../domain/errors.js';
import { caseIdOf, type GoldenCase, type GoldenSet } from '../domain/golden.js';
import type { Page } from '../domain/page.js';
import type { GoldenSetChange, HitJudgement } from '../domain/parse/golden.js';
import type { CardStore, PageRequest } from '../domain/ports/cards.js';
import type { GoldenStore, JudgedHit, UndoneJudgement } from '../domain/ports/evaluation.js';
import { refuseStudents, type Viewer } from '../domain/viewer.js';

/** Default set of judged hits. */
const JUDGED_SET = 'judged';

/** The golden sets of a tenant, as the store has them; ForbiddenError for a student. */
export class GoldenService {
  constructor(
    private readonly store: GoldenStore,
    private readonly cards: Pick<CardStore, 'byIds'>,
  ) {}

  async sets(viewer: Viewer): Promise<readonly GoldenSet[]> {
    refuseStudents(viewer);
    return this.store.sets(viewer);
  }

  async set(viewer: Viewer, name: string): Promise<GoldenSet> {
    refuseStudents(viewer);
    return this.store.set(viewer, name);
  }

  async cases(viewer: Viewer, name: string, page: PageRequest): Promise<Page<GoldenCase>> {
    refuseStudents(viewer);
    return this.store.cases(viewer, name, page);
  }

  async save(viewer: Viewer, change: GoldenSetChange): Promise<GoldenSet> {
    refuseStudents(viewer);
    return this.store.save(viewer, change);
  }

  async addCase(viewer: Viewer, set: string, one: GoldenCase): Promise<GoldenSet> {
    refuseStudents(viewer);
    return this.store.addCase(viewer, set, one);
  }

  async delete(viewer: Viewer, name: string): Promise<boolean> {
    refuseStudents(viewer);
    return this.store.delete(viewer, name);
  }

  /** NotFoundError if the hit or the query card does not exist. */
  async judge(viewer: Viewer, judged: HitJudgement): Promise<JudgedHit> {
    refuseStudents(viewer);
    const { subject } = judged.query;
    const cardIds = [judged.cardId, ...(subject.kind === 'card' ? [subject.cardId] : [])];
    const found = await this.cards.byIds(viewer, cardIds);
    const missing = cardIds.find((id) => !found.has(id));
    if (missing !== undefined) throw new NotFoundError('card', missing);
    return this.store.judge(viewer, { ...judged, set: judged.set ?? JUDGED_SET, caseId: caseIdOf(judged.query) });
  }

  async undo(viewer: Viewer, judgementId: string): Promise<UndoneJudgement> {
    refuseStudents(viewer);
    return this.store.undo(viewer, judgementId);
  }
}
