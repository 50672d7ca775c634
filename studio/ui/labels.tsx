import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import { useSession } from '../app/session.js';
import type { CardFields, Verdict } from '../generated/operations.js';
import { MathText } from './math-text.js';
import { textLanguage } from './text-language.js';

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  const { t } = useWording();
  return (
    <span class={`badge verdict-${verdict.toLowerCase()}`} title={t(`verdict.${verdict}.about`)}>
      {t(`verdict.${verdict}`)}
    </span>
  );
}

/** Subject, grade, difficulty: what a card is filtered by. Also whose it is, if it is another person's. */
export function CardFacts({
  card,
}: {
  card: Pick<CardFields, 'owner' | 'subject' | 'grade' | 'difficulty' | 'qualityGrade' | 'occurrences'>;
}) {
  const { t, named } = useWording();
  const { viewer } = useSession();
  return (
    <span class="facts">
      {card.owner !== viewer.ownerId && <span title={t('card.owner')}>{card.owner}</span>}
      <span>{named('subject', card.subject)}</span>
      {card.grade !== null && <span>{named('grade', card.grade)}</span>}
      <span
        role="img"
        aria-label={t('card.difficultyOf', { level: card.difficulty })}
        title={t('card.difficultyOf', { level: card.difficulty })}
      >
        {'●'.repeat(card.difficulty)}
        <span class="faint">{'●'.repeat(5 - card.difficulty)}</span>
      </span>
      {card.qualityGrade !== null && <span>{t(`quality.${card.qualityGrade}`)}</span>}
      {card.occurrences > 1 && <span>{t('card.times', { count: card.occurrences })}</span>}
    </span>
  );
}

/** The question of a card, cut to a few lines: a link to the card. */
export function QuestionLink({
  card,
  words,
}: {
  card: Pick<CardFields, 'id' | 'questionText'>;
  words?: readonly string[];
}) {
  return (
    <span class="clamped">
      <a href={href('cards', card.id)}>
        <MathText text={card.questionText} words={words} inline />
      </a>
    </span>
  );
}

export function Tags({
  topicTags,
  errorTypes,
  marked = [],
}: Pick<CardFields, 'topicTags' | 'errorTypes'> & { marked?: readonly string[] }) {
  const { t } = useWording();
  const tag = (kind: 'topic' | 'error') => (name: string) => (
    <li
      key={`${kind} ${name}`}
      class={`label-tag tag-${kind}${marked.includes(name) ? ' tag-marked' : ''}`}
      title={t(`tag.${kind}`)}
      lang={textLanguage(name)}
    >
      {name}
    </li>
  );
  if (topicTags.length + errorTypes.length === 0) return null;
  return (
    <ul class="tags">
      {topicTags.map(tag('topic'))}
      {errorTypes.map(tag('error'))}
    </ul>
  );
}

export function Choices({ choices }: { choices: readonly string[] }) {
  return choices.length === 0 ? null : (
    <ol class="choices">
      {choices.map((choice, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two choices may be equal while they are edited
        <li key={place}>
          <MathText text={choice} />
        </li>
      ))}
    </ol>
  );
}
