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

/** A bar of a table's row, as a share of the longest. */
export function Bar({ share }: { share: number }) {
  return (
    <svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect width={Math.max(1, Math.min(1, share) * 100)} height="6" />
    </svg>
  );
}
