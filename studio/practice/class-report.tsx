import { useWording } from '../app/i18n.js';
import { hrefWith } from '../app/router.js';
import type { ClassReportResult, LabelFields } from '../generated/operations.js';
import { Bar } from '../ui/chart.js';
import { DataTable, type TableContent } from '../ui/data-table.js';
import { QuestionLink } from '../ui/labels.js';
import { Empty } from '../ui/notices.js';
import { textLanguage } from '../ui/text-language.js';

/** What a class gets wrong, who needs help on what, and what has changed since last week. */
export function ClassReport({ report, size }: { report: ClassReportResult['classOverview']; size: number }) {
  const { t, number } = useWording();
  const { students, minStudents, suppressed, errors, topics, questions, needsHelp, changes } = report;
  if (students === 0) {
    return <Empty title={t('class.nothing')} about={t('class.nothing.about')} />;
  }
  /** In a part whose labels and questions are not shown if they concern too few students. */
  const ofMany = suppressed > 0 ? t('class.none.ofMany', { least: number(minStudents) }) : t('class.none');
  return (
    <>
      <p class="detail">{t('class.students', { students: number(students), size: number(size) })}</p>
      {suppressed > 0 && (
        <p class="notice">{t('class.suppressed', { count: number(suppressed), least: number(minStudents) })}</p>
      )}
      <div class="class-report">
        <Labels title={t('class.errors')} labels={errors} none={ofMany} />
        <Labels title={t('class.topics')} labels={topics} none={ofMany} />
        <Part
          title={t('class.questions')}
          none={ofMany}
          rows={questions}
          keyOf={({ card }) => card.id}
          columns={[
            {
              name: t('field.questionText'),
              head: ({ card }) => <QuestionLink card={card} />,
            },
            { name: t('class.column.students'), number: (question) => question.students },
            { name: t('column.mistakes'), number: ({ mistakes }) => mistakes },
          ]}
        />
        <Part
          title={t('class.needsHelp')}
          none={t('class.none.needsHelp')}
          rows={needsHelp}
          keyOf={({ ownerId, topicTag }) => `${ownerId} ${topicTag}`}
          columns={[
            {
              name: t('column.student'),
              head: ({ ownerId }) => <a href={hrefWith('fingerprint', { owner: ownerId })}>{ownerId}</a>,
            },
            { name: t('column.topic'), cell: ({ topicTag }) => <Name name={topicTag} /> },
            { name: t('column.mistakes'), number: ({ mistakes }) => mistakes },
            {
              name: t('class.column.right'),
              number: ({ right, attempts }) =>
                attempts === 0 ? '–' : t('class.rightOf', { right: number(right), attempts: number(attempts) }),
            },
          ]}
        />
        <Part
          title={t('class.changes')}
          none={ofMany}
          rows={changes}
          keyOf={({ kind, name }) => `${kind} ${name}`}
          columns={[
            { name: t('class.label'), head: ({ name }) => <Name name={name} /> },
            { name: t('class.column.lastWeek'), number: ({ lastWeek }) => lastWeek },
            {
              name: t('class.column.thisWeek'),
              number: ({ lastWeek, thisWeek }) => (
                <span class={thisWeek > lastWeek ? 'trend-more' : thisWeek < lastWeek ? 'trend-less' : undefined}>
                  {number(thisWeek)}
                </span>
              ),
            },
          ]}
        />
      </div>
    </>
  );
}

function Labels({ title, labels, none }: { title: string; labels: readonly LabelFields[]; none: string }) {
  const { t } = useWording();
  const most = Math.max(1, ...labels.map(({ students }) => students));
  return (
    <Part
      title={title}
      none={none}
      rows={labels}
      keyOf={({ name }) => name}
      columns={[
        {
          name: t('class.label'),
          head: ({ name, students }) => (
            <>
              <Name name={name} />
              <Bar to={students / most} />
            </>
          ),
        },
        { name: t('class.column.students'), number: ({ students }) => students },
        { name: t('column.mistakes'), number: ({ mistakes }) => mistakes },
      ]}
    />
  );
}

function Name({ name }: { name: string }) {
  return <span lang={textLanguage(name)}>{name}</span>;
}

/** `none` is shown if it has no rows. */
function Part<Row>({ title, none, ...table }: TableContent<Row> & { title: string; none: string }) {
  return (
    <section class="box" aria-label={title}>
      <h2>{title}</h2>
      {table.rows.length === 0 ? <p class="detail">{none}</p> : <DataTable label={title} {...table} />}
    </section>
  );
}
