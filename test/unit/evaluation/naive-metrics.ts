import type { JudgedList, Metric } from '../../../src/evaluation/metrics.js';

/** The measures as their definitions read, place by place, with nothing shared: what the real ones are held to. */
export function naiveMetrics({ hits, grades, factsOf, k }: JudgedList): Readonly<Record<Metric, number>> {
  const isRelevant = (cardId: string | undefined): boolean => cardId !== undefined && (grades.get(cardId) ?? 0) > 0;
  const allRelevant = [...grades.keys()].filter(isRelevant);
  const found = (depth: number): number => {
    let count = 0;
    for (const cardId of allRelevant) {
      const rank = hits.indexOf(cardId) + 1;
      if (rank >= 1 && rank <= depth) count += 1;
    }
    return count;
  };
  let gain = 0;
  for (let rank = 1; rank <= 10; rank += 1) {
    const cardId = hits[rank - 1];
    if (cardId !== undefined) gain += (grades.get(cardId) ?? 0) / (Math.log(rank + 1) / Math.log(2));
  }
  const left = allRelevant.map((cardId) => grades.get(cardId) as number);
  let ideal = 0;
  for (let rank = 1; rank <= 10 && left.length > 0; rank += 1) {
    const best = Math.max(...left);
    left.splice(left.indexOf(best), 1);
    ideal += best / (Math.log(rank + 1) / Math.log(2));
  }
  const ranks = allRelevant.map((cardId) => hits.indexOf(cardId) + 1).filter((rank) => rank > 0);
  const shown = hits.filter((_, place) => place < 10);
  const repeats = shown.filter((cardId, place) =>
    shown.some((other, above) => above < place && factsOf(other).questionKey === factsOf(cardId).questionKey),
  );
  const topics: string[] = [];
  for (const cardId of shown)
    for (const topic of factsOf(cardId).topics) if (!topics.includes(topic)) topics.push(topic);
  return {
    ndcgAt10: gain / ideal,
    mrr: ranks.length === 0 ? 0 : 1 / Math.min(...ranks),
    recallAt5: found(5) / allRelevant.length,
    recallAt10: found(10) / allRelevant.length,
    recallAtK: found(k) / allRelevant.length,
    precisionAt10: found(10) / 10,
    zeroResultRate: hits.length > 0 ? 0 : 1,
    duplicateRate: shown.length === 0 ? 0 : repeats.length / shown.length,
    topics: topics.length,
  };
}
