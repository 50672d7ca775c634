import { type Card, QUALITY_GRADES, type QualityGrade } from '../domain/card.js';

/** Scores this close are a near-tie: less than what one word more or less in a question changes. */
const NEAR_TIE = 0.02;

interface Preferred {
  readonly card: Pick<Card, 'qualityGrade' | 'occurredAt'>;
  readonly score: number;
}

/**
 * Lets the better card go first where two are as good as equally alike: by quality grade, then by how lately the mistake was
 * made. A near-tie is a run of hits that are all within 0.02 of its first. Cards of the grade FAIR are left out where `topK`
 * others remain.
 *
 * `hits` are in order; the answer is a selection of them. Pure.
 */
export function preferQuality<T extends Preferred>(hits: readonly T[], topK: number): readonly T[] {
  const better = hits.filter(({ card }) => card.qualityGrade !== 'FAIR');
  const kept = better.length >= topK ? better : hits;
  const runs: T[][] = [];
  for (const hit of kept) {
    const run = runs.at(-1);
    const first = run?.[0];
    if (run !== undefined && first !== undefined && Math.abs(first.score - hit.score) < NEAR_TIE) run.push(hit);
    else runs.push([hit]);
  }
  return runs.flatMap((run) => run.sort(byQuality));
}

function byQuality({ card: a }: Preferred, { card: b }: Preferred): number {
  return placeOf(a.qualityGrade) - placeOf(b.qualityGrade) || b.occurredAt.getTime() - a.occurredAt.getTime();
}

/** A card that nobody graded is neither praised nor blamed: it stands between GOOD and FAIR. */
function placeOf(grade: QualityGrade | null): number {
  return grade === null ? QUALITY_GRADES.indexOf('FAIR') - 0.5 : QUALITY_GRADES.indexOf(grade);
}
