import { useState } from 'preact/hooks';
import { ApiError } from '../api/client.js';
import { useAction, useQuery } from '../api/use-query.js';
import { named, useWording } from '../app/i18n.js';
import { useApi, useRights } from '../app/session.js';
import {
  AddGoldenCase,
  SaveGoldenSet,
  ZeroResultSearches,
  type ZeroResultSearchesResult,
} from '../generated/operations.js';
import { Empty, ErrorNotice, Loading } from '../ui/notices.js';
import { hash } from './judge.js';

type Lost = ZeroResultSearchesResult['zeroResultSearches'][number];

/** The golden set that they become cases of. */
const SET = 'zero-results';

/** What was searched for and not found; a case of it waits to be judged. */
export function ZeroResults() {
  const wording = useWording();
  const { t, date } = wording;
  const api = useApi();
  const rights = useRights();
  const { data, error, reload } = useQuery(ZeroResultSearches, {});
  const [made, setMade] = useState<ReadonlySet<string>>(new Set());
  const make = useAction(async ({ text, operation }: Lost) => {
    const one = { id: `zero-${hash(`${operation} ${text}`).toString(16)}`, operation, text };
    try {
      await api.run(AddGoldenCase, { set: SET, case: one });
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.code !== 'NOT_FOUND') throw thrown;
      await api.run(SaveGoldenSet, { input: { name: SET, description: t('zero.set'), cases: [one] } });
    }
    setMade((before) => new Set([...before, `${operation} ${text}`]));
  });
  if (data === null) return error ? <ErrorNotice error={error} retry={reload} /> : <Loading />;
  if (data.zeroResultSearches.length === 0) {
    return (
      <Empty title={t('zero.none')}>
        <p>{t('zero.none.about')}</p>
        <pre class="code inline">SEARCH_LOG=texts npm start</pre>
      </Empty>
    );
  }
  return (
    <>
      <ErrorNotice error={make.error} />
      <table class="data">
        <thead>
          <tr>
            {(['search.query', 'search.operations', 'zero.times', 'zero.last'] as const).map((key) => (
              <th key={key} scope="col">
                {t(key)}
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {data.zeroResultSearches.map((lost) => (
            <tr key={`${lost.operation} ${lost.text}`}>
              <td>{lost.text}</td>
              <td>{named(wording, 'operation', lost.operation)}</td>
              <td class="num">{lost.searches}</td>
              <td>{date(lost.lastAt)}</td>
              <td>
                {rights.write && (
                  <button
                    type="button"
                    disabled={make.running || made.has(`${lost.operation} ${lost.text}`)}
                    onClick={() => make.run(lost)}
                  >
                    {t(made.has(`${lost.operation} ${lost.text}`) ? 'zero.made' : 'zero.make')}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
