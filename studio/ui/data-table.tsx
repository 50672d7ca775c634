import type { ComponentChildren } from 'preact';
import { type MessageKey, useWording } from '../app/i18n.js';

interface ScrolledProps {
  label: string;
  class?: string;
  children: ComponentChildren;
}

/** A table that scrolls by itself where it is too wide. `children`: its head and body. */
export function DataTable({ children, ...scrolled }: ScrolledProps) {
  return (
    <Scrolled {...scrolled}>
      <table class="data">{children}</table>
    </Scrolled>
  );
}

/**
 * What scrolls by itself where it is too wide. A group, because the section around it is usually a region of the same
 * name.
 */
export function Scrolled({ label, class: extra = '', children }: ScrolledProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div role="group" class={`table-scroll ${extra}`} tabIndex={0} aria-label={label}>
      {children}
    </div>
  );
}

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
