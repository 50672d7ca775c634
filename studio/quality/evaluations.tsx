import { useEffect, useState } from 'preact/hooks';
import { useAction, useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { useRights } from '../app/session.js';
import { Evaluate, Evaluations as EvaluationList, type RunFields, SearchProfiles } from '../generated/operations.js';
import { Form, Select } from '../ui/fields.js';
import { ErrorNotice, QueryState } from '../ui/notices.js';
import { RunReport } from './run-report.js';
import { useGoldenSets } from './use-golden-sets.js';

/** While one runs, in ms. */
const EVERY_MS = 700;

export function Evaluations() {
  const { t, moment, number } = useWording();
  const rights = useRights();
  const [running, setRunning] = useState(false);
  const list = useQuery(EvaluationList, {}, { everyMs: running ? EVERY_MS : null });
  const [shown, setShown] = useState<string | null>(null);
  const [other, setOther] = useState<string | null>(null);
  const runs = list.data?.evaluations ?? [];
  useEffect(() => setRunning(runs.some(({ state }) => state === 'RUNNING')), [runs]);
  const run = runs.find(({ id }) => id === (shown ?? runs[0]?.id));
  const against = runs.find(({ id }) => id === other && id !== run?.id);
  return (
    <>
      {rights.write && (
        <Start
          onStarted={(id) => {
            setShown(id);
            list.reload();
          }}
        />
      )}
      <QueryState query={list} />
      {list.data !== null && (
        <div class="evaluations">
          <ol class="runs" aria-label={t('quality.part.evaluations')}>
            {runs.map((one) => (
              <li key={one.id}>
                <button type="button" aria-pressed={one.id === run?.id} onClick={() => setShown(one.id)}>
                  <b>{one.set}</b> · {one.profile}
                  <span class="detail">
                    {moment(one.createdAt)} · {t(`evaluationState.${one.state}`)}
                    {one.state === 'RUNNING' && ` ${number(one.done)} / ${number(one.total)}`}
                  </span>
                </button>
              </li>
            ))}
            {runs.length === 0 && <li class="detail">{t('evaluations.none')}</li>}
          </ol>
          {run !== undefined && (
            <section class="box" aria-label={t('report.title')}>
              <Compare
                runs={runs.filter(({ id, state }) => id !== run.id && state === 'DONE')}
                value={against?.id ?? null}
                onChange={setOther}
              />
              <RunReport run={run} against={against ?? null} />
            </section>
          )}
        </div>
      )}
    </>
  );
}

function Compare({
  runs,
  value,
  onChange,
}: {
  runs: readonly RunFields[];
  value: string | null;
  onChange: (id: string | null) => void;
}) {
  const { t, moment } = useWording();
  if (runs.length === 0) return null;
  const named = new Map(
    runs.map(({ id, set, profile, createdAt }) => [id, `${set} · ${profile} · ${moment(createdAt)}`]),
  );
  return (
    <Select
      label={t('evaluations.compare')}
      value={value ?? ''}
      values={['', ...named.keys()]}
      nameOf={(id) => named.get(id) ?? '–'}
      onChange={(id) => onChange(id || null)}
    />
  );
}

function Start({ onStarted }: { onStarted: (id: string) => void }) {
  const { t } = useWording();
  const { data: sets, error } = useGoldenSets();
  const profiles = useQuery(SearchProfiles, {});
  const [set, setSet] = useState('');
  const [profile, setProfile] = useState('default');
  const judged = (sets ?? []).filter(({ judgedCaseCount }) => judgedCaseCount > 0);
  const chosen = set || judged[0]?.name || '';
  const start = useAction(async (api) => {
    const { evaluate } = await api.run(Evaluate, { set: chosen, profile });
    onStarted(evaluate.id);
  });
  if (sets !== null && judged.length === 0) return <p class="notice notice-warning">{t('evaluations.noSet')}</p>;
  return (
    <Form class="evaluate" onSubmit={start.run}>
      <Select label={t('judge.set')} value={chosen} values={judged.map(({ name }) => name)} onChange={setSet} />
      <Select
        label={t('tuning.profile')}
        value={profile}
        values={(profiles.data?.searchProfiles ?? [{ name: 'default' }]).map(({ name }) => name)}
        onChange={setProfile}
      />
      <button type="submit" class="primary" disabled={start.running || chosen === ''}>
        {t('evaluations.start')}
      </button>
      <ErrorNotice error={start.error ?? error} />
    </Form>
  );
}
