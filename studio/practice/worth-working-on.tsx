import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import type { FingerprintResult } from '../generated/operations.js';
import { MathText } from '../ui/math-text.js';
import { ladderHref } from './ladder-page.js';
import { Trend } from './trend.js';

/** The three errors to work on first, with why and where to begin. */
export function WorthWorkingOn({
  worth,
  isOwn,
}: {
  worth: FingerprintResult['mistakeFingerprint']['mostWorth'];
  /** A ladder is for the viewer. */
  isOwn: boolean;
}) {
  const { t, number, percent } = useWording();
  if (worth.length === 0) return null;
  return (
    <section aria-label={t('worth.title')}>
      <h2>{t('worth.title')}</h2>
      <ol class="worth">
        {worth.map(({ errorType, topicTag, mistakes, inferred, successProbability, trend, cards }) => (
          <li key={`${errorType} ${topicTag}`} class="box">
            <h3>{errorType}</h3>
            <p class="detail">{topicTag ?? t('fingerprint.noTopic')}</p>
            <p>
              {t('worth.mistakes', { count: number(mistakes + inferred) })} · <Trend trend={trend} />
            </p>
            <p>{t('worth.probability', { percent: percent(successProbability) })}</p>
            <ul class="evidence">
              {cards.map(({ id, questionText }) => (
                <li key={id} class="clamped">
                  <a href={href('cards', id)}>
                    <MathText text={questionText} inline />
                  </a>
                </li>
              ))}
            </ul>
            {isOwn && (
              <a
                class="button primary"
                href={ladderHref(cards[0] === undefined ? { error: errorType } : { card: cards[0].id })}
              >
                {t('ladder.practise')}
              </a>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
