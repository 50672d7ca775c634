import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { useWording, type Wording } from '../app/i18n.js';
import { type CardFields, Hints as HintsOf, type HintsResult } from '../generated/operations.js';
import { MathText } from '../ui/math-text.js';
import { QueryState } from '../ui/notices.js';

/** Errors that the first hint names. */
const MAX_ERRORS = 2;

/** At most as many as the modes HINT_1 to HINT_3 of a tutor, each says more than the one before. */
export const MAX_HINTS = 3;

type Hint = readonly [title: string, content: ComponentChildren];

/**
 * Hints without a language model, from the evidence that a tutor would have: what usually goes wrong, a like question
 * with the mistake made there, and how that one is solved. Never the solution of the card itself, nor its answer.
 */
export function Hints({
  card,
  count,
  onShown,
}: {
  card: CardFields;
  /** As many as were asked for; there may be fewer. */
  count: number;
  /** `left`: as many more can be shown; null until they are loaded. */
  onShown: (count: number, left: number | null) => void;
}) {
  const wording = useWording();
  const { t } = wording;
  const query = useQuery(HintsOf, { cardId: card.id });
  const { data } = query;
  const hints = data === null ? [] : hintsOf(data.tutoringContext, card, wording);
  const shown = Math.min(count, hints.length);
  const left = data === null ? null : hints.length - shown;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each hint
  useEffect(() => onShown(shown, left), [shown, left]);
  if (data === null || query.error !== null) return <QueryState query={query} />;
  return (
    <>
      {data.tutoringContext.degraded.length > 0 && <p class="notice notice-warning">{t('hint.degraded')}</p>}
      {hints.length === 0 && <p class="detail">{t('hint.none')}</p>}
      <ol class="hints">
        {hints.slice(0, count).map(([title, content]) => (
          <li key={title}>
            <strong>{title}</strong> <span class="card-text">{content}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function hintsOf(
  { hypotheses, sources }: HintsResult['tutoringContext'],
  { topicTags }: CardFields,
  { t }: Wording,
): readonly Hint[] {
  const isOther = ({ verdict, revealsAnswer }: (typeof sources)[number]): boolean =>
    verdict !== 'DUPLICATE' && !revealsAnswer;
  const others = sources.filter(isOther).map((source) => source.card);
  const like = others.find(({ goldSolutionBrief }) => goldSolutionBrief !== null) ?? others[0];
  const errors = hypotheses.slice(0, MAX_ERRORS).map(({ errorType }) => errorType);
  const hints: Hint[] = [];
  if (errors.length > 0) hints.push([t('hint.errors'), errors.join(t('list.comma'))]);
  else if (topicTags.length > 0) hints.push([t('hint.topics'), topicTags.join(t('list.comma'))]);
  if (like !== undefined) {
    hints.push([
      t('hint.like'),
      <>
        <MathText text={like.questionText} />
        {like.studentSolutionText !== null && (
          <span class="wrong">
            <span class="lead">{t('hint.wrongThere')}</span> <MathText text={like.studentSolutionText} />
          </span>
        )}
      </>,
    ]);
    if (like.goldSolutionBrief !== null)
      hints.push([t('hint.solvedThere'), <MathText key="solved" text={like.goldSolutionBrief} />]);
  }
  return hints;
}
