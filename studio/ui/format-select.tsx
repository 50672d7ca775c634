import { useWording } from '../app/i18n.js';
import { EXPORT_FORMATS, type ExportFormat } from './download.js';

export function FormatSelect({ format, choose }: { format: ExportFormat; choose: (format: ExportFormat) => void }) {
  const { t } = useWording();
  return (
    <select
      aria-label={t('selection.format')}
      value={format}
      onChange={(event) => choose(event.currentTarget.value as ExportFormat)}
    >
      {EXPORT_FORMATS.map((one) => (
        <option key={one} value={one}>
          {t(`format.${one}`)}
        </option>
      ))}
    </select>
  );
}
