import { useWording } from '../app/i18n.js';
import { FIELDS } from '../cards/draft.js';
import { DataTable } from '../ui/data-table.js';
import { Choice } from '../ui/fields.js';
import type { Preview } from './preview.js';

/** By its name, not read, or a field. */
const TARGETS = ['auto', 'ignore', 'id', ...FIELDS, 'occurredAt', 'metadata', 'attachments'] as const;

/** The first rows, and for each column which field it is. Names that the gateway knows by itself need no choice. */
export function MappingTable({
  preview,
  columns,
  onChange,
}: {
  preview: Preview;
  columns: Readonly<Record<string, string | null>>;
  onChange: (columns: Readonly<Record<string, string | null>>) => void;
}) {
  const { t } = useWording();
  const choose = (header: string, value: string): void => {
    const { [header]: _, ...others } = columns;
    if (value === 'auto') onChange(others);
    else onChange({ ...others, [header]: value === 'ignore' ? null : value });
  };
  const nameOf = (target: (typeof TARGETS)[number], isKnown: boolean | undefined): string => {
    if (target === 'ignore') return t('import.mapping.ignore');
    if (target !== 'auto') return t(`field.${target}`);
    return t(isKnown ? 'import.mapping.auto' : 'import.mapping.unknown');
  };
  const chosen = (header: string): string => {
    const field = columns[header];
    return field === undefined ? 'auto' : (field ?? 'ignore');
  };
  return (
    <DataTable
      label={t('import.mapping')}
      class="mapping"
      rows={preview.rows}
      keyOf={(_row, place) => place}
      columns={preview.headers.map((header, column) => ({
        name: (
          <>
            <span class="mapping-header">{header.trim() === '' ? t('import.mapping.unnamed') : header}</span>
            {header.trim() !== '' && (
              <Choice
                ariaLabel={t('import.mapping.of', { column: header })}
                value={TARGETS.find((one) => one === chosen(header))}
                values={TARGETS}
                nameOf={(one) => nameOf(one, preview.isKnown[column])}
                onChange={(value) => choose(header, value)}
              />
            )}
          </>
        ),
        cell: (row: readonly string[]) => <span class="cell">{row[column]}</span>,
      }))}
    />
  );
}
