import { useWording } from '../app/i18n.js';
import type { LaneFields } from '../generated/operations.js';
import { DataTable } from '../ui/data-table.js';

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
  return (
    <DataTable
      label={t('lane.bar')}
      class="lane-table"
      rows={lanes}
      keyOf={({ perspective, kind }) => `${perspective} ${kind}`}
      classOf={({ weight }) => (weight === 0 ? 'faint' : undefined)}
      columns={[
        {
          name: t('lane.perspective'),
          head: (lane) => (
            <>
              <i class={`swatch ${toneOf(lane)}`} />
              {t(`perspective.${lane.perspective}`)}
            </>
          ),
        },
        { name: t('lane.kind'), cell: ({ kind }) => t(`lane.${kind}`) },
        { name: t('lane.score'), number: ({ score }) => number(score, 3) },
        { name: t('lane.weight'), number: ({ weight }) => number(weight, 3) },
        { name: t('lane.contribution'), number: ({ contribution }) => number(contribution, 3) },
        ...(ranked ? [{ name: t('lane.rank'), number: ({ rank }: LaneFields) => rank ?? '–' }] : []),
      ]}
    />
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
