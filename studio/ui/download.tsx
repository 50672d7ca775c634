import type { Api } from '../api/client.js';
import { useWording } from '../app/i18n.js';
import type { CardFilter } from '../generated/operations.js';
import { Choice } from './fields.js';

const EXPORT_FORMATS = ['xlsx', 'csv', 'jsonl', 'md', 'html'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The body of `POST /export`. */
interface ExportRequest {
  readonly format: ExportFormat;
  readonly cardIds?: readonly string[];
  readonly filter?: CardFilter;
  readonly title?: string;
  readonly language: 'en' | 'zh';
}

/** Has the browser save what `POST /export` answers. ApiError. */
export async function downloadExport(api: Api, request: ExportRequest): Promise<void> {
  const response = await api.fetch('export', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  saveBlob(await response.blob(), `errata.${request.format}`);
}

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken hold of it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function FormatSelect({ format, choose }: { format: ExportFormat; choose: (format: ExportFormat) => void }) {
  const { t } = useWording();
  return (
    <Choice
      ariaLabel={t('selection.format')}
      value={format}
      values={EXPORT_FORMATS}
      nameOf={(one) => t(`format.${one}`)}
      onChange={choose}
    />
  );
}
