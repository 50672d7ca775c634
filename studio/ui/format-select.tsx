import { useWording } from '../app/i18n.js';
import { EXPORT_FORMATS, type ExportFormat } from './download.js';
import { Choice } from './fields.js';

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
