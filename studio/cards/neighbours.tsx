import { useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import { useRights } from '../app/session.js';
import type { CardFields, HitFields } from '../generated/operations.js';
import { OPERATIONS } from '../search/state.js';
import { QuestionLink, VerdictBadge } from '../ui/labels.js';
import { ErrorNotice, Loading } from '../ui/notices.js';
import { Tabs } from '../ui/tabs.js';

const SEARCHES = {
  QUESTION: OPERATIONS.similarQuestions,
  SOLUTION: OPERATIONS.bySolution,
  CONCEPT: OPERATIONS.byConcept,
  ERROR: OPERATIONS.byError,
} as const;
const PERSPECTIVES = Object.keys(SEARCHES) as (keyof typeof SEARCHES)[];

/** Like questions hold the duplicates, so that one search answers for both. */
const COUNT = 6;

/** What is near the card in each perspective, and which cards ask the very same. */
export function Neighbours({ card: own }: { card: CardFields }) {
  const cardId = own.id;
  const { t } = useWording();
  const { mayChange } = useRights();
  const [shown, setShown] = useState<keyof typeof SEARCHES>('QUESTION');
  const alike = useQuery(SEARCHES.QUESTION, { cardId, topK: COUNT });
  const other = useQuery(SEARCHES[shown], shown === 'QUESTION' ? null : { cardId, topK: COUNT });
  const { data, error, loading } = shown === 'QUESTION' ? alike : other;
  const duplicates = (alike.data?.result.hits ?? []).filter(({ verdict }) => verdict === 'DUPLICATE');
  return (
    <>
      {duplicates.length > 0 && (
        <section class="box notice-warning">
          <h2>{t('card.duplicates', { count: duplicates.length })}</h2>
          <Short hits={duplicates} />
          {/* Cards of two students are never merged. */}
          {mayChange(own) && duplicates.some(({ card }) => card.owner === own.owner) && (
            <p class="detail">
              <a href={href('duplicates')}>{t('card.duplicates.compare')}</a>
            </p>
          )}
        </section>
      )}
      <section class="box">
        <h2>{t('card.neighbours')}</h2>
        <Tabs
          label={t('card.neighbours')}
          value={shown}
          values={PERSPECTIVES.map((value) => ({ value, name: t(`perspective.${value}`) }))}
          onChange={setShown}
        />
        <ErrorNotice error={error} />
        {/* Until it has answered, the data are of the perspective that was shown before. */}
        {loading ? (
          <Loading />
        ) : data === null ? null : data.result.hits.length === 0 ? (
          <p class="detail">{t('card.neighbours.none')}</p>
        ) : (
          <Short hits={data.result.hits} />
        )}
      </section>
    </>
  );
}

function Short({ hits }: { hits: readonly HitFields[] }) {
  const { number } = useWording();
  return (
    <ol class="short">
      {hits.map(({ card, verdict, score }) => (
        <li key={card.id}>
          <p class="side-head">
            <VerdictBadge verdict={verdict} /> <span class="score">{number(score, 2)}</span>
          </p>
          <QuestionLink card={card} />
        </li>
      ))}
    </ol>
  );
}
