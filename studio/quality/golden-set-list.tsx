import { useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { named, useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import { GoldenCases } from '../generated/operations.js';
import { DataTable } from '../ui/data-table.js';
import { MathText } from '../ui/math-text.js';
import { Empty, QueryState } from '../ui/notices.js';
import { useGoldenSets } from './use-golden-sets.js';

export function GoldenSetList() {
  const { t, date } = useWording();
  const query = useGoldenSets();
  const sets = query.data;
  const [open, setOpen] = useState<string | null>(null);
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
                  onClick={() => setOpen(open === name ? null : name)}
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

/** Page by page, with the cards that were judged. */
function Cases({ name }: { name: string }) {
  const wording = useWording();
  const { t } = wording;
  const [after, setAfter] = useState<string | null>(null);
  const query = useQuery(GoldenCases, { name, after });
  if (query.data === null) return <QueryState query={query} />;
  const { nodes, pageInfo } = query.data.goldenSet.goldenCases;
  return (
    <section class="box spaced" aria-label={name}>
      <h2>{name}</h2>
      <ol class="cases">
        {nodes.map(({ id, operation, text, cardId, relevant, reason }) => (
          <li key={id}>
            <span class="badge">{named(wording, 'operation', operation)}</span>{' '}
            {text !== null ? <MathText text={text} /> : cardId !== null && <a href={href('cards', cardId)}>{cardId}</a>}
            <p class="detail">
              {relevant.length === 0
                ? t('sets.waits')
                : relevant.map((one) => (
                    <a key={one.cardId} href={href('cards', one.cardId)}>
                      {t('list.pair', { name: one.cardId, value: one.grade })}
                    </a>
                  ))}
            </p>
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
