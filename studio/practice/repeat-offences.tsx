import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import type { FingerprintResult } from '../generated/operations.js';
import { MathText } from '../ui/math-text.js';

/** Errors that came back after right answers. */
export function RepeatOffences({ offences }: { offences: FingerprintResult['mistakeFingerprint']['repeatOffences'] }) {
  const { t, number, date } = useWording();
  if (offences.length === 0) return null;
  return (
    <section class="box" aria-label={t('repeated.title')}>
      <h2>{t('repeated.title')}</h2>
      <ul class="plain">
        {offences.map(({ errorType, times, rightBetween, lastAt, card }) => (
          <li key={errorType}>
            <strong>{errorType}</strong>{' '}
            <span class="detail">
              {t('repeated.about', { times: number(times), right: number(rightBetween), date: date(lastAt) })}
            </span>
            <span class="clamped">
              <a href={href('cards', card.id)}>
                <MathText text={card.questionText} inline />
              </a>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
