import { useWording } from '../app/i18n.js';
import { useRights, useSession } from '../app/session.js';
import type { CardFilter } from '../generated/operations.js';
import { withField } from './state.js';

/** Tells students, who have no filter by student, that a link of their teacher selects cards of others. */
export function OwnersNotice({ filter, onChange }: { filter: CardFilter; onChange: (filter: CardFilter) => void }) {
  const { t } = useWording();
  const { staff } = useRights();
  const { ownerId } = useSession().viewer;
  const owners = filter.owners ?? [];
  if (staff || owners.length === 0 || owners.includes(ownerId)) return null;
  return (
    <div class="notice notice-warning">
      <p>{t('filter.othersCards')}</p>
      <button type="button" onClick={() => onChange(withField(filter, 'owners', null))}>
        {t('filter.ownCards')}
      </button>
    </div>
  );
}
