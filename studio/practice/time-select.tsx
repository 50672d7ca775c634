import { useState } from 'preact/hooks';
import { useWording } from '../app/i18n.js';
import { Select } from '../ui/fields.js';

const DAYS = [7, 28, 90, 0] as const;

/** The last days that an overview is of; 0 for all. */
type LastDays = (typeof DAYS)[number];

/** A choice of the last days, and the moment that they begin: the same until another choice. */
export function useLastDays(days: LastDays): readonly [string | null, (days: LastDays) => void, LastDays] {
  const [chosen, setChosen] = useState({ days, from: fromOf(days) });
  return [chosen.from, (next) => setChosen({ days: next, from: fromOf(next) }), chosen.days];
}

function fromOf(days: LastDays): string | null {
  return days === 0 ? null : new Date(Date.now() - days * 86_400_000).toISOString();
}

export function TimeSelect({ value, onChange }: { value: LastDays; onChange: (days: LastDays) => void }) {
  const { t } = useWording();
  return (
    <Select
      name={t('time.label')}
      value={value}
      values={DAYS}
      nameOf={(days) => (days === 0 ? t('time.all') : t('time.days', { days }))}
      onChange={onChange}
    />
  );
}
