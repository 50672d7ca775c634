import { useWording } from '../app/i18n.js';
import type { FoundFields, HitFields } from '../generated/operations.js';
import { QuestionLink, VerdictBadge } from '../ui/labels.js';
import { QueryState } from '../ui/notices.js';
import { Moved, movesSince } from './hit.js';
import { LaneBar } from './lane-bar.js';
import type { Asked, Tuning } from './state.js';
import { useSearch } from './use-search.js';

/** The same question with the settings that were pinned, beside those of the sliders. */
export function Comparison({
  asked,
  pinned,
  found,
  words,
  onSwap,
  onEnd,
}: {
  asked: Asked;
  pinned: Tuning;
  found: FoundFields;
  words: readonly string[];
  onSwap: () => void;
  onEnd: () => void;
}) {
  const { t } = useWording();
  const other = useSearch(asked, pinned);
  const moves = movesSince(other.data?.hits ?? [], found.hits);
  return (
    <div class="comparison">
      <div class="actions comparison-head">
        <p>{t('compare.about')}</p>
        <button type="button" onClick={onSwap}>
          {t('compare.swap')}
        </button>
        <button type="button" onClick={onEnd}>
          {t('compare.end')}
        </button>
      </div>
      <section aria-label={t('compare.pinned')}>
        <h2>{t('compare.pinned')}</h2>
        <QueryState query={other} />
        {other.data !== null && (
          <Side hits={other.data.hits} words={words} moved={(id) => (moves.has(id) ? undefined : t('moved.gone'))} />
        )}
      </section>
      <section aria-label={t('compare.current')}>
        <h2>{t('compare.current')}</h2>
        <Side hits={found.hits} words={words} moved={(id) => <Moved by={moves.get(id) ?? null} />} />
      </section>
    </div>
  );
}

function Side({
  hits,
  words,
  moved,
}: {
  hits: readonly HitFields[];
  words: readonly string[];
  moved: (id: string) => preact.ComponentChildren;
}) {
  const { t, number } = useWording();
  if (hits.length === 0) return <p class="detail">{t('empty.hits')}</p>;
  return (
    <ol class="side">
      {hits.map(({ card, rank, score, verdict, lanes }) => (
        <li key={card.id} data-card={card.id}>
          <span class="rank">{rank}</span>
          <div>
            <p class="side-head">
              <VerdictBadge verdict={verdict} /> <span class="score">{number(score, 3)}</span>{' '}
              <span class="side-moved">{moved(card.id)}</span>
            </p>
            <QuestionLink card={card} words={words} />
            <LaneBar lanes={lanes} />
          </div>
        </li>
      ))}
    </ol>
  );
}
