import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { StartupError } from '../src/domain/errors.js';
import { EXIT } from '../src/domain/exit-codes.js';
import type { Answer } from '../src/practice/mastery/rating.js';

/** The columns, with their names in published sets. */
const NAMES: Readonly<Record<'user' | 'item' | 'time' | 'correct' | 'skill', readonly string[]>> = {
  user: ['user_id', 'user', 'student_id'],
  item: ['item_id', 'problem_id', 'item', 'question_id'],
  time: ['timestamp', 'order_id', 'time'],
  correct: ['correct'],
  skill: ['skill_id', 'skill', 'skill_name', 'skills'],
};

/**
 * Answers of a file with a header, comma or tab separated, in order of time. Rows of one student, item and time are one
 * answer with several skills: sets write such answers once for each skill, and the second row would be known from the
 * first.
 */
export async function readAnswers(
  path: string,
): Promise<{ readonly answers: readonly Answer[]; readonly rows: number }> {
  const found = new Map<string, Answer & { readonly skills: string[] }>();
  let columns: Readonly<Record<keyof typeof NAMES, number>> | null = null;
  let delimiter = ',';
  let rows = 0;
  let [last, turnOfLast] = ['', 0];
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue;
    if (columns === null) {
      delimiter = line.includes('\t') ? '\t' : ',';
      columns = columnsOf(cellsOf(line.replace(/^\uFEFF/, ''), delimiter), path);
      continue;
    }
    const cells = cellsOf(line, delimiter);
    const [student, item] = [cells[columns.user], cells[columns.item]];
    const correct = Number(cells[columns.correct]);
    if (!student || !item || (correct !== 0 && correct !== 1) || cells[columns.correct] === '') continue;
    rows += 1;
    const time = cells[columns.time] ?? '';
    // Without times only consecutive rows can belong to one answer.
    const turn = time === '' && last !== `${student}\t${item}` ? rows : turnOfLast;
    [last, turnOfLast] = [`${student}\t${item}`, turn];
    const key = `${student}\t${item}\t${time === '' ? turn : time}`;
    const skills = skillsOf(cells[columns.skill] ?? '');
    const known = found.get(key);
    if (known === undefined)
      found.set(key, { student, item, skills, atMs: momentOf(time, rows), correct: correct === 1 });
    else known.skills.push(...skills.filter((skill) => !known.skills.includes(skill)));
  }
  const answers = [...found.values()].sort((a, b) => a.atMs - b.atMs);
  if (answers.length === 0) throw new StartupError(`${path} has no answers`, EXIT.input);
  return { answers, rows };
}

function columnsOf(header: readonly string[], path: string) {
  const names = header.map((name) => name.trim().toLowerCase());
  const place = (column: keyof typeof NAMES): number => {
    const name = NAMES[column].find((one) => names.includes(one));
    if (name === undefined && column !== 'skill' && column !== 'time') {
      throw new StartupError(`${path} has no column ${NAMES[column][0]}`, EXIT.input);
    }
    return name === undefined ? -1 : names.indexOf(name);
  };
  return {
    user: place('user'),
    item: place('item'),
    time: place('time'),
    correct: place('correct'),
    skill: place('skill'),
  };
}

/** Cells may be quoted; none of these columns has line breaks. */
function cellsOf(line: string, delimiter: string): readonly string[] {
  if (!line.includes('"')) return line.split(delimiter).map((cell) => cell.trim());
  const pattern = new RegExp(`(?:^|${delimiter})(?:"((?:[^"]|"")*)"|([^${delimiter}]*))`, 'g');
  return [...line.matchAll(pattern)].map(([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain ?? '').trim());
}

function skillsOf(cell: string): string[] {
  if (cell === '' || /^(na|nan|null|none)$/i.test(cell)) return [];
  return [...new Set(cell.split(/;|~~|(?<=^\d[\d_]*)_(?=\d)/).map((skill) => skill.trim()))];
}

/** Seconds or milliseconds since 1970, a date, or any increasing number; the row number if there is none. */
function momentOf(time: string, row: number): number {
  if (time === '') return row;
  const number = Number(time);
  if (!Number.isNaN(number)) return number > 1e8 && number < 1e11 ? 1_000 * number : number;
  const date = Date.parse(time);
  return Number.isNaN(date) ? row : date;
}
