import type { Wording } from '../app/wording.js';
import type { RankingKind } from '../generated/operations.js';

/** In the language of the page; a ranking that the API may learn of later keeps its own name. */
export function rankingName(wording: Wording, { type, name }: { type: RankingKind; name: string }): string {
  const { t } = wording;
  if (type === 'LANE') {
    const [kind = '', perspective = ''] = name.toUpperCase().split(' ');
    const parts = [wording.named('perspective', perspective), wording.named('lane', kind)];
    return parts.includes(perspective) || parts.includes(kind) ? name : parts.join(' · ');
  }
  const [, profile] = /^search by (.+)$/s.exec(name) ?? [];
  if (profile !== undefined) return t('ranking.by', { profile });
  return wording.named('ranking', name);
}
