import type { ComponentChildren } from 'preact';
import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import type { ClassReportResult, LabelFields } from '../generated/operations.js';
import { Bar } from '../ui/chart.js';
import { DataTable, TableHead } from '../ui/data-table.js';
import { MathText } from '../ui/math-text.js';
import { Empty } from '../ui/notices.js';
import { textLanguage } from '../ui/text-language.js';
import { fingerprintHref } from './fingerprint-page.js';

/** What a class gets wrong, who needs help on what, and what has changed since last week. */
export function ClassReport({ report, size }: { report: ClassReportResult['classOverview']; size: number }) {
  const { t, number } = useWording();
  const { students, minStudents, suppressed, errors, topics, questions, needsHelp, changes } = report;
  if (students === 0) {
    return (
      <Empty title={t('class.nothing')}>
        <p>{t('class.nothing.about')}</p>
      </Empty>
    );
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
        <Part title={t('class.questions')} none={ofMany} isEmpty={questions.length === 0}>
          <TableHead
            columns={['class.question', 'class.column.students', 'class.column.mistakes']}
            numbers={['class.column.students', 'class.column.mistakes']}
          />
          <tbody>
            {questions.map(({ card, students: count, mistakes }) => (
              <tr key={card.id}>
                <th scope="row">
                  <span class="clamped">
                    <a href={href('cards', card.id)}>
                      <MathText text={card.questionText} inline />
                    </a>
                  </span>
                </th>
                <td class="num">{number(count)}</td>
                <td class="num">{number(mistakes)}</td>
              </tr>
            ))}
          </tbody>
        </Part>
        <Part title={t('class.needsHelp')} none={t('class.none.needsHelp')} isEmpty={needsHelp.length === 0}>
          <TableHead
            columns={['class.student', 'class.topic', 'class.column.mistakes', 'class.column.right']}
            numbers={['class.column.mistakes', 'class.column.right']}
          />
          <tbody>
            {needsHelp.map(({ ownerId, topicTag, mistakes, right, attempts }) => (
              <tr key={`${ownerId} ${topicTag}`}>
                <th scope="row">
                  <a href={fingerprintHref(ownerId)}>{ownerId}</a>
                </th>
                <td lang={textLanguage(topicTag)}>{topicTag}</td>
                <td class="num">{number(mistakes)}</td>
                <td class="num">
                  {attempts === 0 ? '–' : t('class.rightOf', { right: number(right), attempts: number(attempts) })}
                </td>
              </tr>
            ))}
          </tbody>
        </Part>
        <Part title={t('class.changes')} none={ofMany} isEmpty={changes.length === 0}>
          <TableHead
            columns={['class.label', 'class.column.lastWeek', 'class.column.thisWeek']}
            numbers={['class.column.lastWeek', 'class.column.thisWeek']}
          />
          <tbody>
            {changes.map(({ kind, name, lastWeek, thisWeek }) => (
              <tr key={`${kind} ${name}`}>
                <th scope="row" lang={textLanguage(name)}>
                  {name}
                </th>
                <td class="num">{number(lastWeek)}</td>
                <td class={thisWeek > lastWeek ? 'num trend-more' : thisWeek < lastWeek ? 'num trend-less' : 'num'}>
                  {number(thisWeek)}
                </td>
              </tr>
            ))}
          </tbody>
        </Part>
      </div>
    </>
  );
}

function Labels({ title, labels, none }: { title: string; labels: readonly LabelFields[]; none: string }) {
  const { number } = useWording();
  const most = Math.max(1, ...labels.map(({ students }) => students));
  return (
    <Part title={title} none={none} isEmpty={labels.length === 0}>
      <TableHead
        columns={['class.label', 'class.column.students', 'class.column.mistakes']}
        numbers={['class.column.students', 'class.column.mistakes']}
      />
      <tbody>
        {labels.map(({ name, students, mistakes }) => (
          <tr key={name}>
            <th scope="row" lang={textLanguage(name)}>
              {name}
              <Bar share={students / most} />
            </th>
            <td class="num">{number(students)}</td>
            <td class="num">{number(mistakes)}</td>
          </tr>
        ))}
      </tbody>
    </Part>
  );
}

interface PartProps {
  title: string;
  /** Shown if it is empty. */
  none: string;
  isEmpty: boolean;
  children: ComponentChildren;
}

function Part({ title, none, isEmpty, children }: PartProps) {
  return (
    <section class="box" aria-label={title}>
      <h2>{title}</h2>
      {isEmpty ? <p class="detail">{none}</p> : <DataTable label={title}>{children}</DataTable>}
    </section>
  );
}
