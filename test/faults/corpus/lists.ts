import { type Attack, BAD_INPUT, file, imported, refusedBecause, TAKEN } from './attack.js';

const CARD = '{"subject":"math","difficulty":2,"questionText":"1+1=?"}';
const MB = 2 ** 20;

const nested = (levels: number, open: string, close: string): string => open.repeat(levels) + close.repeat(levels);
const lines = (count: number, line: (place: number) => object): string =>
  Array.from(
    { length: count },
    (_, place) => `${JSON.stringify({ subject: 'math', difficulty: 1, ...line(place) })}\n`,
  ).join('');

/** The same question, made wrong on another day with another long solution. */
const mistake = (place: number): object => ({
  questionText: '1+1=?',
  studentSolutionText: `${place}${'长'.repeat(5_000)}`,
  occurredAt: new Date(Date.UTC(2000, 0, 1 + place)).toISOString(),
});

/** Nearly the same question: every one has to be compared with all that are there. */
/** Each with other characters, none of which is a traditional or simplified form of another. */
const nearlyAlike = (place: number): object => ({
  questionText: `${'某商店购进一批衬衫按标价的九折出售仍可获利'.repeat(3)}${String.fromCodePoint(0x3400 + place).repeat(40)}`,
});

/** A file whose cards are stored. */
const STORED = { dryRun: 'false', onDuplicate: 'MERGE' };

const withKeys = (keys: string): string => CARD.replace('}', `,${keys}}`);

/**
 * Files of JSON and of JSON Lines that are made to do damage, or just broken. A line that is no card is no bad file.
 */
export const LISTS: readonly Attack[] = [
  file('200,000 lists in each other.json', TAKEN, () => `[${nested(200_000, '[', ']')}]`),
  file('200,000 objects in each other.json', TAKEN, () => `[${nested(200_000, '{"a":', '}')}]`),
  file('an open list.json', BAD_INPUT, () => `[${CARD},`),
  file('lists without end.json', BAD_INPUT, () => '['.repeat(2 * MB)),
  file('two lists.json', BAD_INPUT, () => `[${CARD}][${CARD}]`),
  file('no list.json', BAD_INPUT, () => CARD),
  file('an empty list.json', BAD_INPUT, () => '[]'),
  file('8 MB of blanks.json', BAD_INPUT, () => `[${' '.repeat(8 * MB)}]`),
  file('a million commas.json', BAD_INPUT, () => `[${','.repeat(MB)}]`),
  file('an entry of 4 MB.json', TAKEN, () => `[{"questionText":"${'a'.repeat(4 * MB)}"}]`),
  file('200,000 nulls.json', BAD_INPUT, () => `[${'null,'.repeat(200_000)}null]`),
  file(
    '30,000 keys.json',
    TAKEN,
    () => `[${withKeys(Array.from({ length: 30_000 }, (_, n) => `"k${n}":1`).join(','))}]`,
  ),
  file('prototypes.json', TAKEN, () => `[${withKeys('"__proto__":{"id":"x"},"constructor":{"prototype":{"a":1}}')}]`),
  file('the same key twice.json', TAKEN, () => `[${withKeys('"questionText":"2+2=?"')}]`),
  file('numbers that are none.json', TAKEN, () => `[${withKeys('"difficulty":1e999')},${withKeys('"difficulty":-0')}]`),
  file('half a character.json', TAKEN, () => `[${withKeys('"notes":"\\ud800"')}]`),
  file('two byte order marks.json', BAD_INPUT, () => `\ufeff\ufeff[${CARD}]`),
  file('a picture.json', BAD_INPUT, () => Buffer.from('89504e470d0a1a0a0000000d', 'hex')),
  file('UTF-16.json', BAD_INPUT, () => Buffer.from(`\ufeff[${CARD}]`, 'utf16le')),
  file('4 million blank lines.jsonl', BAD_INPUT, () => '\n'.repeat(4 * MB)),
  file('blanks.jsonl', BAD_INPUT, () => ' \t\r\n'.repeat(MB)),
  file('a line of 8 MB.jsonl', TAKEN, () => `"${'a'.repeat(8 * MB)}"`),
  file('90,000 empty objects.jsonl', BAD_INPUT, () => '{}\n'.repeat(90_000)),
  file('200,000 numbers.jsonl', BAD_INPUT, () => '1\n'.repeat(200_000)),
  file('deep lines.jsonl', TAKEN, () => `${nested(100_000, '[', ']')}\n`.repeat(5)),
  file('a million NULs.jsonl', TAKEN, () => '\0'.repeat(MB)),
  file('10,001 lines of NUL.jsonl', refusedBecause(/invalid rows, such as row 10001: is not valid JSON/), () =>
    '\0\n'.repeat(10_001),
  ),
  file('lines of characters of two halves.jsonl', imported(/failed 2\)/), () => '😀\n'.repeat(2)),
  file('50 cards of 20,000 bad labels.jsonl', imported(/failed 50\)/), () =>
    lines(50, () => ({ questionText: '1+1=?', topicTags: Array(20_000).fill(7) })),
  ),
  file('a mistake made 250 times.jsonl', imported(/read 250, .*failed 50/), () => lines(250, mistake), STORED),
  file('400 questions that are nearly alike.jsonl', imported(/created 400/), () => lines(400, nearlyAlike), STORED),
  file('a line of no encoding.jsonl', TAKEN, () =>
    Buffer.concat([Buffer.from(`${CARD}\n`), Buffer.alloc(1_000, 0xff)]),
  ),
  file('separators of JavaScript.jsonl', TAKEN, () => `${CARD}\u2028${CARD}\n`),
  file('a million braces.jsonl', TAKEN, () => '{'.repeat(MB)),
  file('a million escapes.jsonl', TAKEN, () => `{"questionText":"${'\\u0041'.repeat(170_000)}"}`),
];
