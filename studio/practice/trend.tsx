import { useWording } from '../app/i18n.js';
import type { TrendFields } from '../generated/operations.js';

/** More or less often than before, where the interval of the ratio says so. */
export function Trend({ trend }: { trend: TrendFields }) {
  const { t, number } = useWording();
  const { recent, previous, low, high } = trend;
  const kind = low > 1 ? 'more' : high < 1 ? 'less' : 'same';
  return (
    <span
      class={`trend trend-${kind}`}
      title={t('trend.about', { recent, previous, low: number(low, 1), high: number(high, 1) })}
    >
      {t(`trend.${kind}`)} <span class="detail">{t('trend.counts', { recent, previous })}</span>
    </span>
  );
}
