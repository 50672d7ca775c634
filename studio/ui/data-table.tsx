import type { ComponentChildren } from 'preact';
import { useWording } from '../app/i18n.js';

type Show<Row> = (row: Row) => ComponentChildren;

/** `head` names the row; what `number` shows is aligned, and formatted if it is a number. */
export type Column<Row> = { readonly name: ComponentChildren } & (
  | { readonly head: Show<Row> }
  | { readonly number: Show<Row> }
  | { readonly cell: Show<Row> }
);

export interface TableContent<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, place: number) => string | number;
  readonly classOf?: (row: Row) => string | undefined;
}

/** A table that scrolls by itself where it is too wide. */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  keyOf,
  classOf,
  ...scrolled
}: TableContent<Row> & { label: string; class?: string; caption?: string }) {
  return (
    <Scrolled {...scrolled}>
      <table class="data">
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a table do not move
              <ColumnName key={place} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={keyOf(row, place)} class={classOf?.(row)}>
              {columns.map((column, order) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: nor do its cells
                <Cell key={order} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

function ColumnName<Row>({ column }: { column: Column<Row> }) {
  // A column of buttons has no name.
  if (column.name === null) return <td />;
  return (
    <th scope="col" class={'number' in column ? 'num' : undefined}>
      {column.name}
    </th>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { number } = useWording();
  if ('head' in column) return <th scope="row">{column.head(row)}</th>;
  if ('cell' in column) return <td>{column.cell(row)}</td>;
  const shown = column.number(row);
  return <td class="num">{typeof shown === 'number' ? number(shown) : shown}</td>;
}

/**
 * What scrolls by itself where it is too wide. A group, because the section around it is usually a region of the same
 * name.
 */
export function Scrolled({
  label,
  class: extra = '',
  children,
}: {
  label: string;
  class?: string;
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div role="group" class={`table-scroll ${extra}`} tabIndex={0} aria-label={label}>
      {children}
    </div>
  );
}
