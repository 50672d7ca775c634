import type { ComponentChildren } from 'preact';
import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { type CardFields, Hints as HintsOf } from '../generated/operations.js';
import { MathText } from '../ui/math-text.js';
import { ErrorNotice, Loading } from '../ui/notices.js';

/** Errors that the first hint names. */
const MAX_ERRORS = 2;

/** As many as the modes HINT_1 to HINT_3 of a tutor, each says more than the one before. */
export const MAX_HINTS = 3;

/**
 * Hints without a language model, from the evidence that a tutor would have: what usually goes wrong, a like question
 * with the mistake made there, and how that one is solved. Never the solution of the card itself.
 */
export function Hints({ card, count }: { card: CardFields; count: number }) {
  const { t } = useWording();
  const { data, error, reload } = useQuery(HintsOf, { cardId: card.id });
  if (error !== null) return <ErrorNotice error={error} retry={reload} />;
  if (data === null) return <Loading />;
  const { hypotheses, sources, degraded } = data.tutoringContext;
  const others = sources.filter((source) => source.verdict !== 'DUPLICATE').map((source) => source.card);
  const like = others.find(({ goldSolutionBrief }) => goldSolutionBrief !== null) ?? others[0];
  const errors = hypotheses.slice(0, MAX_ERRORS).map(({ errorType }) => errorType);
  const hints: (readonly [title: string, content: ComponentChildren])[] = [];
  if (errors.length > 0) hints.push([t('hint.errors'), errors.join(t('list.comma'))]);
  else if (card.topicTags.length > 0) hints.push([t('hint.topics'), card.topicTags.join(t('list.comma'))]);
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
  return (
    <>
      {degraded.length > 0 && <p class="notice notice-warning">{t('hint.degraded')}</p>}
      {hints.length < count && <p class="detail">{t(hints.length === 0 ? 'hint.none' : 'hint.noMore')}</p>}
      <ol class="hints">
        {hints.slice(0, count).map(([title, content]) => (
          <li key={title}>
            <strong>{title}</strong> <span class="text">{content}</span>
          </li>
        ))}
      </ol>
    </>
  );
}
