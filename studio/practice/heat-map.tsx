import { useWording } from '../app/i18n.js';
import { hrefWith } from '../app/router.js';
import type { FingerprintResult, TrendFields } from '../generated/operations.js';
import { Chart } from '../ui/chart.js';
import { QuestionLink } from '../ui/labels.js';

type Cell = FingerprintResult['mistakeFingerprint']['cells'][number];

/** Rows and columns of the drawing; the table has all. */
const MAX_TOPICS = 12;
const MAX_ERRORS = 8;
/** Units of the drawing. */
const CELL = { width: 44, height: 26 };
const LEFT = 172;
const TOP = 96;
const RIGHT = 84;
/** Opacities of the fewest and the most mistakes. Above .58 the figure on it has a contrast below 4.5 in the dark. */
const LIGHTEST = 0.12;
const DARKEST = 0.58;
/** Columns that a label has room for; a Chinese character takes two. */
const LABEL = 22;
const COLUMN_LABEL = 18;

const countOf = ({ mistakes, inferred }: Cell): number => mistakes + inferred;

/** The names with most mistakes, at most `count`. */
function most<Name>(cells: readonly Cell[], nameOf: (cell: Cell) => Name, count: number): readonly Name[] {
  const sums = new Map<Name, number>();
  for (const cell of cells) sums.set(nameOf(cell), (sums.get(nameOf(cell)) ?? 0) + countOf(cell));
  return [...sums]
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([name]) => name);
}

function shortened(text: string, columns: number): string {
  let used = 0;
  let kept = '';
  for (const sign of text) {
    used += /[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uff60]|\p{Script=Han}/u.test(sign) ? 2 : 1;
    if (used > columns) return `${kept.trimEnd()}…`;
    kept += sign;
  }
  return text;
}

/** Errors by topics: the darker, the more mistakes. The table has every cell with its evidence. */
export function HeatMap({
  cells,
  isOwn,
}: {
  cells: readonly Cell[];
  /** A ladder is for the viewer. */
  isOwn: boolean;
}) {
  const { t, number, date } = useWording();
  const errors = most(cells, ({ errorType }) => errorType, MAX_ERRORS);
  const shown = cells.filter(({ errorType }) => errors.includes(errorType));
  const topics = most(shown, ({ topicTag }) => topicTag, MAX_TOPICS);
  const highest = Math.max(1, ...cells.map(countOf));
  const topicName = (topic: string | null): string => topic ?? t('fingerprint.noTopic');
  const top = [...cells].sort((a, b) => countOf(b) - countOf(a))[0];
  const width = LEFT + errors.length * CELL.width + RIGHT;
  const height = TOP + topics.length * CELL.height + 4;
  const title = t('fingerprint.heatMap');
  return (
    <Chart
      title={title}
      table={{
        rows: cells,
        keyOf: ({ topicTag, errorType }) => `${topicTag} ${errorType}`,
        columns: [
          { name: t('column.topic'), head: ({ topicTag }) => topicName(topicTag) },
          {
            name: t('tag.error'),
            cell: ({ errorType }) =>
              isOwn ? <a href={hrefWith('ladder', { error: errorType })}>{errorType}</a> : errorType,
          },
          { name: t('column.mistakes'), number: ({ mistakes }) => mistakes },
          { name: t('fingerprint.column.inferred'), number: ({ inferred }) => inferred },
          {
            name: t('column.last'),
            cell: ({ lastAt }) => <time dateTime={lastAt}>{date(lastAt)}</time>,
          },
          { name: t('fingerprint.column.trend'), cell: ({ trend }) => <Trend trend={trend} /> },
          {
            name: t('nav.cards'),
            cell: ({ cards }) => cards.map((card) => <QuestionLink key={card.id} card={card} />),
          },
        ],
      }}
    >
      <svg
        class="heat-map"
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={
          top === undefined
            ? title
            : t('fingerprint.heatMap.about', {
                error: top.errorType,
                topic: topicName(top.topicTag),
                count: number(countOf(top)),
              })
        }
      >
        {errors.map((error, column) => (
          <text
            key={error}
            transform={`translate(${LEFT + column * CELL.width + CELL.width / 2} ${TOP - 8}) rotate(-40)`}
          >
            <title>{error}</title>
            {shortened(error, COLUMN_LABEL)}
          </text>
        ))}
        {topics.map((topic, row) => (
          <text key={topic} x={LEFT - 8} y={TOP + row * CELL.height + CELL.height / 2 + 4} text-anchor="end">
            <title>{topicName(topic)}</title>
            {shortened(topicName(topic), LABEL)}
          </text>
        ))}
        {topics.map((topic, row) =>
          errors.map((error, column) => {
            const cell = cells.find((one) => one.topicTag === topic && one.errorType === error);
            const count = cell === undefined ? 0 : countOf(cell);
            const place = { x: LEFT + column * CELL.width, y: TOP + row * CELL.height };
            return (
              <g key={`${topic} ${error}`} class="heat">
                <title>{t('list.pair', { name: `${topicName(topic)} · ${error}`, value: number(count) })}</title>
                <rect class="heat-none" {...place} width={CELL.width - 2} height={CELL.height - 2} rx="3" />
                {count > 0 && (
                  <>
                    <rect
                      {...place}
                      width={CELL.width - 2}
                      height={CELL.height - 2}
                      rx="3"
                      fill-opacity={LIGHTEST + ((DARKEST - LIGHTEST) * count) / highest}
                    />
                    <text x={place.x + CELL.width / 2 - 1} y={place.y + CELL.height / 2 + 3} text-anchor="middle">
                      {number(count)}
                    </text>
                  </>
                )}
              </g>
            );
          }),
        )}
      </svg>
    </Chart>
  );
}

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
