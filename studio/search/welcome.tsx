import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import { useRights } from '../app/session.js';
import { Notebook, type SearchOperation } from '../generated/operations.js';
import { MathText } from '../ui/math-text.js';
import { Empty } from '../ui/notices.js';

/** One example for each, of the sample notebook. */
const EXAMPLES = ['similarQuestions', 'byError', 'bySolution', 'byConcept', 'hybridSearch'] as const;

/** Before anything is asked: what this is, and something to click. */
export function Welcome({ onTry }: { onTry: (one: { operation: SearchOperation; text: string }) => void }) {
  const { t, number, gap } = useWording();
  const { data } = useQuery(Notebook, {});
  const total = data?.facets.total;
  if (data?.facets.total === 0) return <EmptyNotebook {...data.indexStatus} />;
  return (
    <div class="welcome">
      <h2>{t('welcome.title')}</h2>
      <p>
        {t('welcome.about')}
        {total !== undefined && gap + t('welcome.total', { count: number(total) })}
      </p>
      <ul class="examples">
        {EXAMPLES.map((operation) => (
          <li key={operation}>
            <button type="button" onClick={() => onTry({ operation, text: t(`example.${operation}`) })}>
              <b>{t(`operation.${operation}`)}</b>
              <span class="detail">{t(`operation.${operation}.about`)}</span>
              <q>
                <MathText text={t(`example.${operation}`)} />
              </q>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Whatever one searches for, there are no cards to find: none at all, or none that is indexed yet. */
export function EmptyNotebook({ pending }: { pending: number }) {
  const { t, number } = useWording();
  const rights = useRights();
  if (pending > 0) return <Empty title={t('health.pending', { count: number(pending) })} />;
  return (
    <div class="welcome">
      <h2>{t('welcome.empty')}</h2>
      <p>{t('welcome.empty.about')}</p>
      {rights.write && (
        <p class="actions">
          <a class="button primary" href={href('exchange')}>
            {t('welcome.import')}
          </a>{' '}
          <a class="button" href={href('cards', 'new')}>
            {t('cards.new')}
          </a>
        </p>
      )}
    </div>
  );
}
