import { BYTE_ORDER_MARK, csvLine } from '../../src/exchange/formats/write/csv.js';
import { useAction } from '../api/use-query.js';
import { useWording, type Wording } from '../app/i18n.js';
import { href } from '../app/router.js';
import { DataTable } from '../ui/data-table.js';
import { saveBlob } from '../ui/download.js';
import { Figures } from '../ui/figures.js';
import { ErrorNotice } from '../ui/notices.js';
import { columnText, knownReason, reasonText } from '../ui/reasons.js';
import type { Job } from './job.js';
import type { useImport } from './use-import.js';

type Problems = Job['rowProblems']['nodes'];

const COUNTS = ['created', 'updated', 'merged', 'skipped', 'failed'] as const;

/** How far an import is and what came of each row; of a dry run, what would come. */
export function ImportReport({
  job,
  dryRun,
  more,
  allProblems,
}: Pick<ReturnType<typeof useImport>, 'dryRun' | 'more' | 'allProblems'> & { job: Job }) {
  const wording = useWording();
  const { t, number } = wording;
  const whole = job.total ?? job.read;
  const done = job.finishedAt !== null;
  const { nodes: problems, pageInfo } = job.rowProblems;
  const save = useAction(async () => {
    const text = csvOf(await allProblems(job), wording);
    saveBlob(new Blob([text], { type: 'text/csv' }), 'problems.csv');
  });
  return (
    <section class="import-report" aria-label={t('report.title')}>
      <h3>
        {t(dryRun ? 'report.dryRun' : 'report.import')} · <span role="status">{t(`importState.${job.state}`)}</span>
      </h3>
      <progress
        max={Math.max(1, whole)}
        value={done ? Math.max(1, whole) : job.read}
        aria-label={t('report.progress')}
      />
      <Figures
        figures={COUNTS.map((count) => ({
          key: count,
          name: t(dryRun ? `report.would.${count}` : `report.${count}`),
          value: number(job[count]),
          isBad: count === 'failed' && job.failed > 0,
        }))}
      />
      {job.problem !== null && (
        <p class="notice notice-error" lang={languageOf(job.problem)}>
          {reasonText(job.problem, wording)}
        </p>
      )}
      {job.notices.length > 0 && (
        <ul class="notice notice-warning">
          {job.notices.map((notice) => (
            <li key={notice} lang={languageOf(notice)}>
              {reasonText(notice, wording)}
            </li>
          ))}
        </ul>
      )}
      {problems.length > 0 && (
        <>
          <div class="panel-head">
            <h3>{t('report.problems')}</h3>
            <button type="button" disabled={save.running} onClick={() => save.run()}>
              {t('report.save')}
            </button>
          </div>
          <ErrorNotice error={save.error} />
          <DataTable
            label={t('report.problems')}
            class="problems"
            rows={problems}
            // The problems are appended to.
            keyOf={(_problem, place) => place}
            classOf={({ failed }) => (failed ? 'failed' : undefined)}
            columns={[
              { name: t('problem.row'), number: ({ sheet, row }) => (sheet === null ? `${row}` : `${sheet} ${row}`) },
              {
                name: t('problem.column'),
                cell: ({ column }) => (column === null ? '–' : columnText(column, wording)),
              },
              {
                name: t('problem.reason'),
                cell: ({ reason }) => <span lang={languageOf(reason)}>{reasonText(reason, wording)}</span>,
              },
            ]}
          />
          {pageInfo.hasNextPage && done && (
            <button type="button" disabled={more.running} onClick={() => more.run()}>
              {t('report.more')}
            </button>
          )}
        </>
      )}
      {job.state === 'DONE' && !dryRun && (
        <p class="actions">
          <a class="button primary" href={href('cards')}>
            {t('import.look')}
          </a>
        </p>
      )}
    </section>
  );
}

function languageOf(reason: string): string | undefined {
  return knownReason(reason) === undefined ? 'en' : undefined;
}

function csvOf(problems: Problems, wording: Wording): string {
  const header = (['problem.sheet', 'problem.row', 'problem.column', 'problem.reason'] as const).map((key) =>
    wording.t(key),
  );
  const rows = problems.map(({ sheet, row, column, reason }) => [
    sheet ?? '',
    String(row),
    column === null ? '' : columnText(column, wording),
    reasonText(reason, wording),
  ]);
  return BYTE_ORDER_MARK + [header, ...rows].map(csvLine).join('');
}
