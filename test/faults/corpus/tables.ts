import { inGb18030 } from '../../support/files.js';
import { type Attack, BAD_INPUT, file, imported, refusedBecause, TAKEN } from './attack.js';

const HEADER = 'subject,difficulty,question\n';
const ROW = 'math,2,1+1=?\n';
const MB = 2 ** 20;

const times = (count: number, text: string | ((place: number) => string)): string =>
  typeof text === 'string' ? text.repeat(count) : Array.from({ length: count }, (_, place) => text(place)).join('');
const utf16 = (text: string, order: 'le' | 'be'): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
};

/** Tables that are made to do damage, or just broken. */
export const TABLES: readonly Attack[] = [
  file('4 million blank lines.csv', BAD_INPUT, () => HEADER + times(4 * MB, '\n')),
  file('2 million blank lines of Windows.csv', BAD_INPUT, () => HEADER + times(2 * MB, '\r\n')),
  file('a million blank lines of a Mac.csv', BAD_INPUT, () => HEADER.replace('\n', '\r') + times(MB, '\r')),
  file('a million lines of commas.csv', BAD_INPUT, () => HEADER + times(MB, ',,\n')),
  file('500,000 short lines.csv', refusedBecause(/more than 10000 invalid rows/), () => HEADER + times(500_000, 'a\n')),
  file('blank lines between two cards.csv', TAKEN, () => HEADER + ROW + times(50_000, '\n') + ROW),
  file('8 MB in an open quote.csv', BAD_INPUT, () => `${HEADER}math,2,"${times(8 * MB, 'a')}`),
  file(
    '8 MB of lines in an open quote.csv',
    refusedBecause(/is a quote not closed/),
    () => `${HEADER}math,2,"${times(MB, 'line\n')}`,
  ),
  file('an open quote at the end.csv', BAD_INPUT, () => `${HEADER}${ROW}math,2,"`),
  file('4 MB of quotes.csv', BAD_INPUT, () => `${HEADER}math,2,${times(4 * MB, '"')}`),
  file('a quote amid a cell.csv', BAD_INPUT, () => `${HEADER}math,2,"a" b "c"\n`),
  file('a cell of 4 MB.csv', BAD_INPUT, () => `${HEADER}math,2,${times(4 * MB, 'a')}\n`),
  file('a million columns.csv', BAD_INPUT, () => `${HEADER}math,2,x${times(MB, ',')}\n`),
  file('a header of 10,000 columns.csv', BAD_INPUT, () => `${HEADER.trim()}${times(10_000, (n) => `,c${n}`)}\n${ROW}`),
  file(
    'a header of the same columns.csv',
    BAD_INPUT,
    () => `subject${times(60, ',subject')},difficulty,question\n${ROW}`,
  ),
  file('no header.csv', BAD_INPUT, () => times(20_000, ROW)),
  file('nothing.csv', BAD_INPUT, () => ''),
  file('a byte order mark.csv', BAD_INPUT, () => '\ufeff'),
  file('a header alone.csv', BAD_INPUT, () => HEADER),
  file('2 MB of NUL.csv', BAD_INPUT, () => HEADER + times(2 * MB, '\0')),
  file('a NUL in a cell.csv', TAKEN, () => `${HEADER}math,2,a\0b\n`),
  file('control characters in cells.csv', TAKEN, () => `${HEADER}math,2,"\u001b[2J\u0007 1+1=?"\n`),
  file('UTF-16.csv', TAKEN, () => utf16(HEADER + ROW, 'le')),
  file('UTF-16 the other way.csv', TAKEN, () => utf16(HEADER + ROW, 'be')),
  file('UTF-8 and GB18030.csv', BAD_INPUT, () =>
    Buffer.concat([Buffer.from(`${HEADER}数学,2,分数加法\n`), inGb18030('数学,2,分数减法\n')]),
  ),
  file('GB18030.csv', TAKEN, () => inGb18030('学科,难度,题目\n数学,2,分数减法\n')),
  file('bytes of no encoding.csv', BAD_INPUT, () => Buffer.concat([Buffer.from(HEADER), Buffer.alloc(1_000, 0xff)])),
  file('every line ends otherwise.csv', TAKEN, () => `${HEADER}math,2,a\rmath,2,b\r\nmath,2,c\n`),
  file('a line of 100,000 semicolons.csv', BAD_INPUT, () => `${times(100_000, ';')}\n${HEADER}`),
  file('formulas.csv', TAKEN, () => `${HEADER}math,2,"=cmd|'/c calc'!A1"\nmath,2,＝1+1\nmath,2,;=1\n`),
  file('a text over its limit.csv', TAKEN, () => `${HEADER}math,2,${times(16_385, 'a')}\n`),
  file('200,001 rows.csv', BAD_INPUT, () => HEADER + times(200_001, (n) => `math,2,${n}\n`)),
  file(
    'a header of 512 kB of brackets.csv',
    imported(/failed 1\)/),
    () => `${times(MB / 2, '(')},${HEADER}math,1,1+1=?\n`,
  ),
  file(
    '100 cells of blanks.csv',
    imported(/read 100, .*failed 0/),
    () => HEADER + times(100, `math,1,a${times(16_000, ' ')}b\n`),
  ),
  file('rows of 65 columns.csv', TAKEN, () => HEADER + times(2_000, `math,2,x${times(62, ',y')}\n`)),
];
