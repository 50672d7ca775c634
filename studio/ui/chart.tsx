import type { ComponentChildren } from 'preact';
import { useWording } from '../app/i18n.js';
import { DataTable, Scrolled, type TableContent } from './data-table.js';

/** A drawing, and its figures as a table: for screen readers, and for everyone who wants them. */
export function Chart<Row>({
  title,
  table,
  children,
}: {
  title: string;
  table: TableContent<Row>;
  /** An `svg` with `role="img"`, or several. */
  children: ComponentChildren;
}) {
  const { t } = useWording();
  return (
    <figure class="chart">
      <Scrolled label={title}>{children}</Scrolled>
      <details>
        <summary>{t('chart.table')}</summary>
        <DataTable label={title} {...table} />
      </details>
    </figure>
  );
}

/** A part of a line from 0 to 1, such as a share of the longest. */
export function Bar({ from = 0, to }: { from?: number; to: number }) {
  const width = Math.max(0.01, Math.min(1, to) - from);
  return (
    <span class="track" aria-hidden="true">
      <i style={{ left: `${from * 100}%`, width: `${width * 100}%` }} />
    </span>
  );
}
