import { useWording } from '../app/i18n.js';
import type { LaneFields } from '../generated/operations.js';
import { Scrolled, TableHead } from '../ui/data-table.js';

/** Below this a segment would be thinner than a pixel. */
const LEAST = 0.002;

const toneOf = ({ perspective, kind }: LaneFields): string =>
  `lane-${perspective.toLowerCase()} lane-${kind.toLowerCase()}`;

/** What each lane adds to the score, of 1. What is avoided stands left of the others, and takes away. */
export function LaneBar({ lanes }: { lanes: readonly LaneFields[] }) {
  const { t, number } = useWording();
  const title = ({ perspective, kind, contribution }: LaneFields): string =>
    t('list.pair', {
      name: `${t(`perspective.${perspective}`)} · ${t(`lane.${kind}`)}`,
      value: number(contribution, 3),
    });
  const heard = lanes.filter(({ contribution }) => Math.abs(contribution) >= LEAST);
  const value = heard.map(title).join(t('list.comma'));
  return (
    <div class="lane-bar" role="img" aria-label={t('list.pair', { name: t('lane.bar'), value })}>
      {heard.map((lane) => (
        <span
          key={`${lane.perspective} ${lane.kind}`}
          class={`${toneOf(lane)}${lane.contribution < 0 ? ' lane-negative' : ''}`}
          style={{ width: `${Math.abs(lane.contribution) * 100}%` }}
          title={title(lane)}
        />
      ))}
    </div>
  );
}

/** The same, with everything that the API says of each lane. */
export function LaneTable({
  lanes,
  ranked = true,
}: {
  lanes: readonly LaneFields[];
  /** False: the search was for this card alone, and ranks tell nothing. */
  ranked?: boolean;
}) {
  const { t, number } = useWording();
  const columns = ['lane.perspective', 'lane.kind', 'lane.score', 'lane.weight', 'lane.contribution'] as const;
  return (
    <Scrolled label={t('lane.bar')}>
      <table class="lane-table">
        <TableHead columns={ranked ? [...columns, 'lane.rank'] : columns} />
        <tbody>
          {lanes.map((lane) => (
            <tr key={`${lane.perspective} ${lane.kind}`} class={lane.weight === 0 ? 'faint' : ''}>
              <th scope="row">
                <i class={`swatch ${toneOf(lane)}`} />
                {t(`perspective.${lane.perspective}`)}
              </th>
              <td>{t(`lane.${lane.kind}`)}</td>
              <td>{number(lane.score, 3)}</td>
              <td>{number(lane.weight, 3)}</td>
              <td>{number(lane.contribution, 3)}</td>
              {ranked && <td>{lane.rank ?? '–'}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

export function LaneLegend() {
  const { t } = useWording();
  return (
    <p class="lane-legend" aria-hidden="true">
      {(['QUESTION', 'SOLUTION', 'CONCEPT', 'ERROR'] as const).map((perspective) => (
        <span key={perspective}>
          <i class={`swatch lane-${perspective.toLowerCase()} lane-dense`} />
          {t(`perspective.${perspective}`)}
        </span>
      ))}
      <span class="lane-kinds">{t('lane.kinds')}</span>
    </p>
  );
}
