import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import type { HitFields } from '../generated/operations.js';
import { CardFacts, Tags, VerdictBadge } from '../ui/labels.js';
import { MathText } from '../ui/math-text.js';
import { LaneBar, LaneTable } from './lane-bar.js';

/** A card that was found: what it asks, why it is here, and what each lane had to say. */
export function Hit({
  hit,
  coversLabel,
  words,
  marked,
  moved,
  searchFrom,
}: {
  hit: HitFields;
  /** It comes before hits with a better score, for another label. */
  coversLabel: boolean;
  words: readonly string[];
  marked: readonly string[];
  /** How far it is from its place before; null for one that was not there. */
  moved?: number | null;
  /** The address of the same search from this card. */
  searchFrom: string;
}) {
  const { t, number } = useWording();
  const { card } = hit;
  return (
    <li class="hit" data-card={card.id}>
      <div class="hit-rank">
        <span class="rank">{hit.rank}</span>
        {moved !== undefined && <Moved by={moved} />}
      </div>
      <article>
        <header>
          <VerdictBadge verdict={hit.verdict} />
          <CardFacts card={card} />
          <span class="score" title={t('hit.score')}>
            {number(hit.score, 3)}
          </span>
        </header>
        <h3>
          <a href={href('cards', card.id)}>
            <MathText text={card.questionText} words={words} />
          </a>
        </h3>
        {card.studentSolutionText !== null && (
          <p class="wrong">
            <span class="lead">{t('card.wrong')}</span> <MathText text={card.studentSolutionText} words={words} />
          </p>
        )}
        <Tags topicTags={card.topicTags} errorTypes={card.errorTypes} marked={marked} />
        <details class="why">
          <summary>
            <LaneBar lanes={hit.lanes} />
            <span class="why-word">{t('hit.why')}</span>
          </summary>
          <LaneTable lanes={hit.lanes} />
          <p class="detail">
            {coversLabel && t('hit.covers')}{' '}
            {hit.threshold !== null && t('hit.threshold', { threshold: number(hit.threshold, 2) })}{' '}
            <a href={searchFrom}>{t('hit.searchFrom')}</a>
          </p>
        </details>
      </article>
    </li>
  );
}

/** How many places up each hit of a list is from where the list before had it; null for one that was not there. */
export function movesSince(before: readonly HitFields[], now: readonly HitFields[]): Moves {
  const ranks = new Map(before.map(({ card, rank }) => [card.id, rank]));
  return new Map(
    now.map(({ card, rank }) => {
      const was = ranks.get(card.id);
      return [card.id, was === undefined ? null : was - rank];
    }),
  );
}

export type Moves = ReadonlyMap<string, number | null>;

/** An arrow and a number; readers hear a sentence. */
export function Moved({ by }: { by: number | null }) {
  const { t } = useWording();
  if (by === 0) return null;
  if (by === null) return <span class="moved moved-new">{t('moved.new')}</span>;
  return (
    <span class={by > 0 ? 'moved moved-up' : 'moved moved-down'}>
      <span aria-hidden="true">
        {by > 0 ? '▲' : '▼'}
        {Math.abs(by)}
      </span>
      <span class="sr-only">{t(by > 0 ? 'moved.up' : 'moved.down', { places: Math.abs(by) })}</span>
    </span>
  );
}
