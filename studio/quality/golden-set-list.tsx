import { useState } from 'preact/hooks';
import { useAnswer, useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { goInstead, href, hrefWith, type Route } from '../app/router.js';
import { currentCards } from '../cards/current-cards.js';
import { GoldenCases } from '../generated/operations.js';
import { DataTable } from '../ui/data-table.js';
import { QuestionLink } from '../ui/labels.js';
import { MathText } from '../ui/math-text.js';
import { Empty, QueryState } from '../ui/notices.js';
import { useGoldenSets } from './use-golden-sets.js';

export function GoldenSetList({ route }: { route: Route }) {
  const { t, date } = useWording();
  const query = useGoldenSets();
  const sets = query.data;
  const open = route.params.get('set');
  if (sets === null) return <QueryState query={query} />;
  if (sets.length === 0) {
    return <Empty title={t('sets.none')} about={t('sets.none.about')} />;
  }
  return (
    <>
      <DataTable
        label={t('quality.part.sets')}
        rows={sets}
        keyOf={({ name }) => name}
        columns={[
          {
            name: t('judge.set'),
            cell: ({ name, description }) => (
              <>
                <button
                  type="button"
                  class="link"
                  aria-expanded={open === name}
                  onClick={() => goInstead(hrefWith('quality', { set: open === name ? null : name }, route.params))}
                >
                  {name}
                </button>
                {description !== null && <p class="detail">{description}</p>}
              </>
            ),
          },
          { name: t('sets.cases'), number: ({ caseCount }) => caseCount },
          { name: t('sets.judged'), number: ({ judgedCaseCount }) => judgedCaseCount },
          { name: t('sets.judgements'), number: ({ judgementCount }) => judgementCount },
          { name: t('card.changed'), cell: ({ updatedAt }) => <time dateTime={updatedAt}>{date(updatedAt)}</time> },
        ]}
      />
      {open !== null && <Cases key={open} name={open} />}
    </>
  );
}

/** Questions of a page that are loaded: its 50 cases may have 5,000 cards each. */
const MAX_QUESTIONS = 500;

/** Page by page, with the cards that were judged: by their questions, deleted ones by their ids. */
function Cases({ name }: { name: string }) {
  const { t, named } = useWording();
  const [after, setAfter] = useState<string | null>(null);
  const query = useQuery(GoldenCases, { name, after });
  const page = query.data?.goldenSet.goldenCases;
  const shown = page?.nodes.flatMap(({ cardId, relevant }) => [cardId, ...relevant.map((one) => one.cardId)]);
  const ids = [...new Set(shown)].filter((id) => id !== null).slice(0, MAX_QUESTIONS);
  const { data: cards } = useAnswer(JSON.stringify(ids), (api, signal) => currentCards(api, ids, signal));
  if (page === undefined) return <QueryState query={query} />;
  const { nodes, pageInfo } = page;
  const link = (id: string) => {
    const card = cards?.get(id);
    return card === undefined ? <a href={href('cards', id)}>{id}</a> : <QuestionLink card={card} />;
  };
  return (
    <section class="box spaced" aria-label={name}>
      <h2>{name}</h2>
      <ol class="cases">
        {nodes.map(({ id, operation, text, cardId, relevant, reason }) => (
          <li key={id}>
            <span class="badge">{named('operation', operation)}</span>{' '}
            {text !== null ? <MathText text={text} /> : cardId !== null && link(cardId)}
            {relevant.length === 0 && <p class="detail">{t('sets.waits')}</p>}
            <ul class="detail">
              {relevant.map((one) => (
                <li key={one.cardId}>
                  <span class="count">{one.grade}</span> {link(one.cardId)}
                </li>
              ))}
            </ul>
            {reason !== null && <p class="detail">{reason}</p>}
          </li>
        ))}
      </ol>
      <p class="actions">
        {after !== null && (
          <button type="button" onClick={() => setAfter(null)}>
            {t('sets.first')}
          </button>
        )}
        {pageInfo.hasNextPage && (
          <button type="button" onClick={() => setAfter(pageInfo.endCursor)}>
            {t('sets.next')}
          </button>
        )}
      </p>
    </section>
  );
}
