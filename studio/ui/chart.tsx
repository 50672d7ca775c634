import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useWording } from '../app/i18n.js';
import { keep, kept } from '../app/kept-place.js';
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
  const [isOpen] = useState(() => kept().opened?.includes(title) === true);
  const keepOpen = (now: boolean): void => {
    const others = (kept().opened ?? []).filter((one) => one !== title);
    keep({ opened: now ? [...others, title] : others });
  };
  return (
    <figure class="chart">
      <Scrolled label={title}>{children}</Scrolled>
      <details open={isOpen} onToggle={({ currentTarget }) => keepOpen(currentTarget.open)}>
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
