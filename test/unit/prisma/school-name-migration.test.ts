import { expect, test } from 'vitest';
import { cleanName } from '../../../src/domain/clean-text.js';
import { gradeOf, subjectOf } from '../../../src/domain/school-names.js';
import { beforeMigration } from './before-migration.js';

const { client, migrateRest } = await beforeMigration('20261127000000_school_names');

/** As earlier versions stored unknown names. */
const stored = (name: string): string => cleanName(name).toLowerCase();

const SUBJECTS = [
  ...['數學', '奧數', '語文', '英語', '化學', '生物學', '歷史', '曆史', '道德與法治', '科學', '数　学'],
  ...['math', '物理學', '體育', '美术', 'ICT'],
  ...['中文', '中國語文', '英國語文', '數學科', 'ＭＡＴＨ 科', '科'],
];
const GRADES = [
  ...[
    '七年級',
    '小學一年級',
    '小學6年級',
    '初中二年級',
    '初中七年級',
    '高中三年級',
    '十年級',
    '十一年級',
    '十二年級',
    '9年級',
  ],
  ...['七年级（上）', '七年級上冊', '八年級第一學期', '九年級全一冊', '初 三', '高 1 年級'],
  ...['G7', '十三年級', '初中', '高四', '0年級', '13', '七年級三班', '七年級（3）班', '學前班'],
  ...[
    '中一',
    '中四級',
    '中 六',
    '中一上學期',
    '小五級',
    '國二',
    '國中三年級',
    '國小六年級上學期',
    '中學三年級',
    '國三（上）',
  ],
  ...['Form 4', 'F.6', 'f5', 'Secondary 2', 'Sec 3', 'Primary 6', 'P.5', 'P6', 'Form 7', 'S1', '中七', '中班', '七級'],
];

test('subjects and grades that filters read as known names are stored under those names, and their cards are indexed again', async () => {
  const cards = [
    ...SUBJECTS.map((subject) => [subjectOf(subject), null, subject === 'math' ? subject : stored(subject), null]),
    ...GRADES.map((grade) => ['math', gradeOf(grade), 'math', grade === 'G7' ? grade : stored(grade)]),
  ];
  for (const [id, [, , subject, grade]] of cards.entries()) {
    await client.query(
      `INSERT INTO card (tenant_id, id, owner_id, subject, grade, difficulty, question_text, occurred_at)
        VALUES ('t', $1, 'o', $2, $3, 1, 'q', now())`,
      [String(id), subject, grade],
    );
  }
  await client.query('DELETE FROM index_dirty');
  await migrateRest();
  const { rows } = await client.query(`
    SELECT c.subject, c.grade, c.revision, r.revision AS fed, d.card_id IS NOT NULL AS dirty
    FROM card c JOIN card_change r ON r.tenant_id = c.tenant_id AND r.card_id = c.id
    LEFT JOIN index_dirty d ON d.tenant_id = c.tenant_id AND d.card_id = c.id
    ORDER BY c.id::int`);
  expect(rows).toEqual(
    cards.map(([subject, grade, ...before]) => {
      const isChanged = subject !== before[0] || grade !== before[1];
      const revision = isChanged ? 2 : 1;
      return { subject, grade, revision, fed: revision, dirty: isChanged };
    }),
  );
  expect(rows.filter(({ dirty }) => dirty)).toHaveLength(50);
  expect(rows.map(({ subject, grade }) => grade ?? subject)).toEqual(
    expect.arrayContaining(['math', 'politics', 'G1', 'G7', 'G9', 'G10', 'G12', '體育', '十三年級']),
  );
});
