import { useWording } from '../app/i18n.js';
import type { OneOccurrenceFields } from '../generated/operations.js';
import { MathText } from '../ui/math-text.js';

/** Each time that the mistake was made: dots along the time, and a list of what was written then. */
export function Occurrences({ occurrences }: { occurrences: readonly OneOccurrenceFields[] }) {
  const { t, date } = useWording();
  if (occurrences.length === 0) return null;
  const times = occurrences.map(({ occurredAt }) => new Date(occurredAt).getTime());
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const place = (time: number): number => (last === first ? 50 : ((time - first) / (last - first)) * 100);
  return (
    <section class="box">
      <h2>{t('occurrences.title', { count: occurrences.length })}</h2>
      <div class="time-line" aria-hidden="true">
        {times.map((time, index) => (
          <i key={occurrences[index]?.number} style={{ left: `${place(time)}%` }} />
        ))}
      </div>
      <ol class="occurrences">
        {occurrences.map(({ number, occurredAt, wrongSolution, errorTypes, mergedId }) => (
          <li key={number}>
            <time dateTime={occurredAt}>{date(occurredAt)}</time>
            <div>
              {wrongSolution !== null && (
                <p>
                  <MathText text={wrongSolution} />
                </p>
              )}
              <p class="detail">
                {errorTypes.join(' · ')} {mergedId !== null && t('occurrences.merged')}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
