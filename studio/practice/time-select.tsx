import { useMemo } from 'preact/hooks';
import { useWording } from '../app/i18n.js';
import { goInstead, hrefWith, type Route } from '../app/router.js';
import { Select } from '../ui/fields.js';

const DAYS = [7, 28, 90, 0] as const;

/** The last days that an overview is of; 0 for all. */
type LastDays = (typeof DAYS)[number];

/** The last days that the address names, and the moment that they begin: the same until others are chosen. */
export function useLastDays({ params }: Route, unnamed: LastDays): readonly [LastDays, string | null] {
  const days = DAYS.find((one) => String(one) === params.get('days')) ?? unnamed;
  const from = useMemo(() => (days === 0 ? null : new Date(Date.now() - days * 86_400_000).toISOString()), [days]);
  return [days, from];
}

export function TimeSelect({ route, value }: { route: Route; value: LastDays }) {
  const { t } = useWording();
  return (
    <Select
      label={t('time.label')}
      value={value}
      values={DAYS}
      nameOf={(days) => (days === 0 ? t('time.all') : t('time.days', { days }))}
      onChange={(days) => goInstead(hrefWith(route.page, { days: `${days}` }, route.params))}
    />
  );
}
