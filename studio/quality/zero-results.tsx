import { useEffect, useState } from 'preact/hooks';
import { type Api, ApiError } from '../api/client.js';
import { useAction, useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { useApi, useRights } from '../app/session.js';
import {
  AddGoldenCase,
  GoldenCases,
  type GoldenCasesResult,
  SaveGoldenSet,
  ZeroResultSearches,
  type ZeroResultSearchesResult,
} from '../generated/operations.js';
import { DataTable } from '../ui/data-table.js';
import { Empty, ErrorNotice, QueryState } from '../ui/notices.js';

type Lost = ZeroResultSearchesResult['zeroResultSearches'][number];

const keyOf = ({ operation, text }: Pick<Lost, 'operation' | 'text'>): string => `${operation} ${text}`;

/** The golden set that they become cases of. */
const SET = 'zero-results';

/** What was searched for and not found; a case of it waits to be judged. */
export function ZeroResults() {
  const { t, date, named } = useWording();
  const api = useApi();
  const rights = useRights();
  const query = useQuery(ZeroResultSearches, {});
  const { data, error } = query;
  const [made, setMade] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    // A failure is reported when a case is made, which looks again.
    casesOf(api).then(
      (cases) => setMade(cases ?? new Set()),
      () => undefined,
    );
  }, [api]);
  const make = useAction(async (api, lost: Lost) => {
    const cases = await casesOf(api);
    if (cases === null) await api.run(SaveGoldenSet, { input: { name: SET, description: t('zero.set') } });
    const { operation, text } = lost;
    // Adding a case again would replace it, with its judgements.
    if (!cases?.has(keyOf(lost))) await api.run(AddGoldenCase, { set: SET, case: { operation, text } });
    setMade(new Set([...(cases ?? []), keyOf(lost)]));
  });
  if (error?.field !== 'SEARCH_LOG' && data === null) return <QueryState query={query} />;
  if (data === null || data.zeroResultSearches.length === 0) {
    return (
      <Empty title={t('zero.none')} about={t('zero.none.about')}>
        <pre class="code inline">SEARCH_LOG=texts npm start</pre>
      </Empty>
    );
  }
  return (
    <>
      <ErrorNotice error={make.error} />
      <DataTable
        label={t('quality.part.zero')}
        rows={data.zeroResultSearches}
        keyOf={keyOf}
        columns={[
          { name: t('search.query'), cell: ({ text }) => <span class="clamped">{text}</span> },
          { name: t('search.operations'), cell: ({ operation }) => named('operation', operation) },
          { name: t('zero.times'), number: ({ searches }) => searches },
          { name: t('column.last'), cell: ({ lastAt }) => <time dateTime={lastAt}>{date(lastAt)}</time> },
          {
            name: null,
            cell: (lost) =>
              rights.write && (
                <button
                  type="button"
                  disabled={make.running}
                  aria-disabled={made.has(keyOf(lost))}
                  onClick={() => !made.has(keyOf(lost)) && make.run(lost)}
                >
                  {t(made.has(keyOf(lost)) ? 'zero.made' : 'zero.make')}
                </button>
              ),
          },
        ]}
      />
    </>
  );
}

/** The searches that the set has as cases; null without the set. */
async function casesOf(api: Api): Promise<ReadonlySet<string> | null> {
  const made = new Set<string>();
  let after: string | null = null;
  try {
    do {
      const page: GoldenCasesResult = await api.run(GoldenCases, { name: SET, after });
      const { nodes, pageInfo } = page.goldenSet.goldenCases;
      for (const { operation, text } of nodes) if (text !== null) made.add(keyOf({ operation, text }));
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    } while (after !== null);
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.code === 'NOT_FOUND') return null;
    throw thrown;
  }
  return made;
}
