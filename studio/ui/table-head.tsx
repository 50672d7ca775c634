import type { ComponentChildren } from 'preact';
import { type MessageKey, useWording } from '../app/i18n.js';

/** The names of a table's columns; those in `numbers` hold numbers. `children` are further cells. */
export function TableHead({
  columns,
  numbers = [],
  children,
}: {
  columns: readonly MessageKey[];
  numbers?: readonly MessageKey[];
  children?: ComponentChildren;
}) {
  const { t } = useWording();
  return (
    <thead>
      <tr>
        {columns.map((key) => (
          <th key={key} scope="col" class={numbers.includes(key) ? 'num' : undefined}>
            {t(key)}
          </th>
        ))}
        {children}
      </tr>
    </thead>
  );
}
