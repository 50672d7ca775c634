import { useWording } from '../app/i18n.js';
import type { ScheduleResult } from '../generated/operations.js';
import { Chart } from '../ui/chart.js';

/** Days that the statistics cover. */
export const STATISTICS_DAYS = 30;

/** Units of the drawing. */
const STEP = 10;
const HEIGHT = 80;
const TOP = 14;
const BOTTOM = 16;

/** How many reviews come on which day, and how well those of the last days went. */
export function Forecast({
  forecast,
  later,
}: {
  forecast: ScheduleResult;
  /** Due reviews that the daily limit leaves for later days. */
  later: number;
}) {
  const { t, number, percent, date, gap } = useWording();
  const { reviewForecast: days, practiceSettings } = forecast;
  const most = Math.max(1, ...days.map(({ reviews }) => reviews));
  const all = days.reduce((sum, { reviews }) => sum + reviews, 0);
  const width = days.length * STEP;
  const { retention, low, high, reviews, desiredRetention, schedule } = forecast.reviewStatistics;
  const title = t('forecast.title', { days: days.length });
  const short = (day: string): string => day.slice(5).replace('-', '/');
  return (
    <section class="box" aria-label={title}>
      <h2>{title}</h2>
      <Chart
        title={title}
        table={{
          rows: days,
          keyOf: ({ day }) => day,
          columns: [
            { name: t('forecast.day'), head: ({ day }) => date(`${day}T12:00`) },
            { name: t('forecast.reviews'), number: ({ reviews: count }) => count },
          ],
        }}
      >
        <svg
          class="bars"
          viewBox={`0 0 ${width} ${TOP + HEIGHT + BOTTOM}`}
          role="img"
          aria-label={t('forecast.about', { count: number(all), most: number(most), days: days.length })}
        >
          {days.map(({ day, reviews: count }, place) => {
            const height = (count / most) * HEIGHT;
            return (
              <g key={day}>
                <title>{t('list.pair', { name: date(`${day}T12:00`), value: number(count) })}</title>
                <rect
                  class="bar-of-day"
                  x={place * STEP + 1}
                  y={TOP + HEIGHT - height}
                  width={STEP - 2}
                  height={height}
                />
                {count === most && all > 0 && days.findIndex((one) => one.reviews === most) === place && (
                  <text
                    x={place * STEP + STEP / 2}
                    y={TOP - 4 + HEIGHT - height}
                    text-anchor={place === 0 ? 'start' : 'middle'}
                  >
                    {number(count)}
                  </text>
                )}
              </g>
            );
          })}
          <line x1="0" x2={width} y1={TOP + HEIGHT} y2={TOP + HEIGHT} />
          {days.length > 0 &&
            [0, Math.floor(days.length / 2), days.length - 1].map((place, order) => (
              <text
                key={place}
                x={[0, place * STEP + STEP / 2, width][order]}
                y={TOP + HEIGHT + 11}
                text-anchor={['start', 'middle', 'end'][order]}
              >
                {short(days[place]?.day ?? '')}
              </text>
            ))}
        </svg>
      </Chart>
      {later > 0 && (
        <p class="detail">
          {t('forecast.limit', { limit: number(practiceSettings.dailyLimit), later: number(later) })}
        </p>
      )}
      <p class="detail">
        {retention === null || low === null || high === null
          ? t('retention.none', { days: STATISTICS_DAYS })
          : t('retention.is', {
              count: number(reviews),
              share: percent(retention),
              low: percent(low),
              high: percent(high),
              wanted: percent(desiredRetention),
            })}
        {schedule?.isUsed && gap + t('schedule.fitted', { count: number(schedule.reviews) })}
      </p>
    </section>
  );
}
