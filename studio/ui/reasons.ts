import type { Wording } from '../app/wording.js';
import type { exchange } from '../messages/en/exchange.js';

type MessageKey = keyof typeof exchange;

/** Where the header is, in a workbook with its sheet. */
const PLACE = String.raw`\((?:sheet (?<sheet>".*"), )?row (?<row>\d+)\)`;

/**
 * Sentences of the API that explain a row of an import, a skipped part, a refused file or a refused request, and the
 * message that says the same in the reader's language.
 */
const REASONS: readonly (readonly [RegExp, MessageKey])[] = [
  [/^the credential has characters that cannot be sent$/, 'reason.credentialCharacters'],
  [/^(?:the token is malformed|the API key is not valid)$/, 'reason.credential'],
  [/^this gateway does not accept credentials of this kind$/, 'reason.credentialKind'],
  [/^the token (?:has expired|is older than )/, 'reason.tokenExpired'],
  [/^is required$/, 'reason.required'],
  [/^this gateway does not accept API keys\b/, 'reason.keysOff'],
  [/^another evaluation is running\b/, 'reason.evaluationRuns'],
  [/^has no case (?:with a relevant card\b|whose cards are in the notebook\b)/, 'reason.nothingToMeasure'],
  [/^no [a-z ]+ with the (?:id|name) "(?<value>.*)"$/s, 'reason.none'],
  [/^there is no search profile "(?<value>.*)"$/s, 'reason.noProfile'],
  [/^is the name of (?:a built-in profile|the profile that is learned)\b/, 'reason.fixedProfile'],
  [/^must be the IANA name of a time zone\b/, 'reason.timeZone'],
  [/^must not be null$/, 'reason.null'],
  [/^(?:must not be empty\b|is empty$)/, 'reason.empty'],
  [/^there is no such field$/, 'reason.noField'],
  [/^must be a text$/, 'reason.text'],
  [/^must be a finite number$/, 'reason.number'],
  [/^must be a list$/, 'reason.list'],
  [/^must be an object$/, 'reason.object'],
  [/^must be one of (?<values>.+)$/, 'reason.oneOf'],
  [/^must be a whole number from (?<min>-?\d+) to (?<max>\d+)$/, 'reason.whole'],
  [/^must be a moment from /, 'reason.moment'],
  [/^must be 1 to 100 letters, digits/, 'reason.id'],
  [/^must have at most (?<max>\d+) characters$/, 'reason.characters'],
  [/^must have at most (?<max>\d+) entries$/, 'reason.entries'],
  [/^must have at most (?<max>\d+) bytes in UTF-8, and has (?<bytes>\d+)$/, 'reason.bytes'],
  [/^must have each key once$/, 'reason.keyTwice'],
  [/^must not hold (?:the character U\+0000|half of a surrogate pair|a control character)$/, 'reason.badCharacter'],
  [/^"(?<value>.*)" is not a difficulty\b/s, 'reason.difficulty'],
  [/^"(?<value>.*)" is a coefficient, not a difficulty\b/s, 'reason.coefficient'],
  [/^"(?<value>.*)" is not a quality grade\b/s, 'reason.quality'],
  [/^"(?<value>.*)" is not a date\b/s, 'reason.date'],
  [/^"(?<value>.*)" is not metadata\b/s, 'reason.metadata'],
  [/^must be one line$/, 'reason.oneLine'],
  [/^must have the letters A, B, C, \.\.\. as keys\b/, 'reason.letters'],
  [/^must be an address that begins with http\b/, 'reason.link'],
  [/^must have each link or file once$/, 'reason.linkTwice'],
  [/^must have either url\b/, 'reason.target'],
  [/^(?:must be a SHA-256 digest\b|is not the SHA-256 of data$)/, 'reason.digest'],
  [/^is not base64$/, 'reason.base64'],
  [/^must be (?:a file )?of the type (?<types>.+?)(?:, by its first bytes)?$/, 'reason.fileType'],
  [/^POST \/attachments does not accept .+, with one of (?<types>.+)$/, 'reason.fileType'],
  [/^declared as \w+\/(?<declared>\w+), but the content is /, 'reason.otherFileType'],
  [/^is damaged: not a complete image\b/, 'reason.badImage'],
  [/^has more than (?<max>\d+) million pixels\b/, 'reason.pixels'],
  [/^is larger than (?<max>[\d.]+) MB$/, 'reason.largeAttachment'],
  [/^holds more than (?<max>\d+) MB of files$/, 'reason.heldFiles'],
  [/^the card would have more than (?<max>\d+) attachments$/, 'reason.attachments'],
  [/^the owner of the card has no uploaded file with the SHA-256 (?<sha256>\w+)$/, 'reason.noFile'],
  [
    /^the attachment exceeds the limit of all uploaded files: (?<used>[\d.]+) of (?<max>[\d.]+) MB are used\b/,
    'reason.allFiles',
  ],
  [
    /^the attachment exceeds the limit of the uploaded files of a student: (?<used>[\d.]+) of (?<max>[\d.]+) MB are used\b/,
    'reason.studentFiles',
  ],
  [/^must have at least (?<min>\d+) entries, or none$/, 'reason.fewEntries'],
  [/^an earlier choice is missing$/, 'reason.choiceMissing'],
  [/^the cell is the date (?<date>[\d-]+): if a fraction was meant\b/, 'reason.dateCell'],
  [/^the cell holds the error of a formula without a computed value\b/, 'reason.formula'],
  [/^the cell holds the error of an invalid (?:number|date)$/, 'reason.badNumber'],
  [/^the cell holds the error (?<error>.+)$/, 'reason.cellError'],
  [/^has (?<count>\d+) more problems$/, 'reason.more'],
  [/^has more than (?<max>\d+) fields$/, 'reason.fields'],
  [/^is not valid JSON\b/, 'reason.json'],
  [/^is not a JSON object$/, 'reason.jsonObject'],
  [/^is not valid (?<encoding>UTF-\w+|GB18030)$/, 'reason.utf8'],
  [/^there is a card with this id$/, 'reason.idExists'],
  [/^the id is that of another question$/, 'reason.idTaken'],
  [/^the id (?<id>\S+) is that of another question: the card got a new one$/, 'reason.newId'],
  [/^the card (?<id>\S+) had another question$/, 'reason.replaced'],
  [/^the card (?<id>\S+) keeps its own (?<fields>[\w, ]+): a row with this id changes them$/, 'reason.kept'],
  [/^the card (?<id>\S+) keeps its own (?<fields>[\w, ]+): an earlier row with its id\b/, 'reason.keptOfEarlier'],
  [/^the card (?<id>\S+) keeps its other topic tags\b/, 'reason.keptTags'],
  [/^the card (?<id>\S+) has an occurrence of the same time\b/, 'reason.sameTime'],
  [/^(?<count>\d+) more rows have other values than their cards\b/, 'reason.moreKept'],
  [/^an earlier row with the id (?<id>\S+) has another question$/, 'reason.earlierRow'],
  [/^the card (?<id>\S+) belongs to another owner\b/, 'reason.foreign'],
  [/^the card (?<id>\S+) asks the same question$/, 'reason.sameQuestion'],
  [/^the card (?<id>\S+) has (?<count>\d+) occurrences: at most (?<max>\d+) are kept$/, 'reason.occurrences'],
  [/^has a value in column (?<column>\d+), where the header ends at (?<last>\d+)$/, 'reason.beyondHeader'],
  [/^has a value in column (?<column>\d+), where the header ends at (?<last>\d+): is a comma/, 'reason.beyondComma'],
  [RegExp(`^column (?<column>\\d+) is skipped: it has no header ${PLACE}`, 's'), 'reason.unnamedColumn'],
  [RegExp(`^the row "(?<name>.*)" is skipped: it has totals or averages ${PLACE}`, 's'), 'reason.totals'],
  [
    RegExp(`^the row "(?<name>.*)" and (?<count>\\d+) more are skipped: they have totals or averages ${PLACE}`, 's'),
    'reason.moreTotals',
  ],
  [RegExp(`^the row "(?<name>.*)" is skipped: it is the title of a section ${PLACE}`, 's'), 'reason.section'],
  [
    RegExp(`^the row "(?<name>.*)" and (?<count>\\d+) more are skipped: they are titles of sections ${PLACE}`, 's'),
    'reason.moreSections',
  ],
  [/^the column "(?<column>.*)" is skipped: it is not a field of a card$/s, 'reason.unknownColumn'],
  [/^the column "(?<column>.*)" is skipped: all cards of a file belong to whoever/s, 'reason.studentColumn'],
  [/^the sheet "(?<name>.*)" is skipped: it is hidden$/s, 'reason.hiddenSheet'],
  [/^the sheet "(?<name>.*)" is skipped: no column of it names the question$/s, 'reason.otherSheet'],
  [/^the pictures are skipped\b/, 'reason.pictures'],
  [/^dates with the year last are read with the day first$/, 'reason.dayFirst'],
  [/^dates with the year last are read with the month first$/, 'reason.monthFirst'],
  [/^has no header that names the question\b/, 'reason.noHeaderOfText'],
  [/^has no sheet with a header that names the question\b/, 'reason.noHeader'],
  [RegExp(`^has no column for subject and difficulty ${PLACE}`, 's'), 'reason.noSubjectAndDifficulty'],
  [RegExp(`^has no column for subject ${PLACE}`, 's'), 'reason.noSubject'],
  [RegExp(`^has no column for difficulty ${PLACE}`, 's'), 'reason.noDifficulty'],
  [RegExp(`^columns (?<first>\\d+) and (?<second>\\d+): both are called .* ${PLACE}`, 's'), 'reason.sameNames'],
  [RegExp(`^columns (?<first>\\d+) and (?<second>\\d+): .* ${PLACE}`, 's'), 'reason.sameColumns'],
  [RegExp(`^has more than (?<max>\\d+) columns ${PLACE}`, 's'), 'reason.columns'],
  [/^the sheet (?<sheet>".*") has values beyond column (?<max>\d+): row (?<row>\d+)$/s, 'reason.farColumn'],
  [/^(?<sheet>"")?row (?<row>\d+) has values beyond column (?<max>\d+)$/, 'reason.farColumn'],
  [/^the sheet (?<sheet>".*") has a row with more than (?<max>\d+) characters: row (?<row>\d+)$/s, 'reason.longRow'],
  [/^row (?<row>\d+) is longer than (?<max>\d+) characters\b/, 'reason.openRow'],
  [/^line (?<line>\d+) is longer than (?<max>\d+) kB$/, 'reason.longLine'],
  [/^has a cell with more than (?<max>\d+) characters$/, 'reason.longCell'],
  [/^the sheet (?<sheet>".*") has too many merged cells\b/s, 'reason.merges'],
  [/^is a workbook without a sheet$/, 'reason.noSheet'],
  [/^has (?<count>\d+) parts: at most (?<max>\d+) are read$/, 'reason.parts'],
  [/^has no rows$/, 'reason.noRows'],
  [/^is not an \.xlsx workbook\b/, 'reason.noWorkbook'],
  [/^is (?:a workbook of Excel 97, or )?protected by a password\b/, 'reason.locked'],
  [/^is a workbook of Excel 97: /, 'reason.oldWorkbook'],
  [/^(?:contains|is a workbook with) macros\b/, 'reason.macros'],
  [/^is an OpenDocument sheet\b/, 'reason.openDocument'],
  [/^is a binary workbook\b/, 'reason.binary'],
  [/^must end in \.xlsx\b/, 'reason.ending'],
  [/^has links to other files\b/, 'reason.links'],
  [/^holds other files\b/, 'reason.embedded'],
  [
    /^(?:is damaged or malicious|unpacks to more than \d+ times its size|has two parts with the name)\b/,
    'reason.damaged',
  ],
  [
    / (?:is not well-formed: |declares a document type: |is not valid UTF-8$|has a text longer than any cell\b)/,
    'reason.damaged',
  ],
  [/^the sheet ".*" (?:has a row with the number|refers to a shared text that does not exist)\b/s, 'reason.damaged'],
  [/^(?:the file )?is larger than (?<max>[\d.]+) MB\b/, 'reason.tooLarge'],
  [/^unpacks to (?<size>\d+) MB: at most (?<max>\d+) are read$/, 'reason.unpacked'],
  [/^exceeds the size limit of a workbook\b/, 'reason.tooMuchText'],
  [/^has more than (?<max>\d+) rows: split the file$/, 'reason.rows'],
  [/^(?:the sheet (?<sheet>".*") )?has more than (?<max>\d+) (?:lines$|rows, )/s, 'reason.lines'],
  [/^has more than (?<max>\d+) invalid rows, such as row (?<row>\d+): (?<example>.*)$/s, 'reason.badRows'],
  [/^line (?<line>\d+) is neither UTF-8 nor (?<encoding>GB18030|Big5)$/, 'reason.encoding'],
  [/^mixes two encodings: line (?<first>\d+) is UTF-8, and line (?<second>\d+) is not$/, 'reason.encodings'],
  [/^row (?<row>\d+) (?:has a quote in a cell|has text after the closing quote)\b/, 'reason.quote'],
  [/^row (?<row>\d+) begins a quoted cell that does not end\b/, 'reason.openQuote'],
  [/^must hold one list of cards\b.*: line (?<line>\d+) has something else$/, 'reason.jsonForm'],
  [/^entry \d+ is missing: line (?<line>\d+) has an extra comma$/, 'reason.jsonComma'],
  [/^ends on line (?<line>\d+) before the list of cards does$/, 'reason.jsonEnd'],
  [/^internal error (?<id>\S+)$/, 'reason.internal'],
  [/^the gateway ended (?<count>\d+) times while it was imported$/, 'reason.ended'],
  [/^it takes more than .+: split the file$/, 'reason.spent'],
  [/^has no word, number or formula to search for$/, 'reason.noWords'],
  [/^has only stop words, and a lexicalShare of 1\b/, 'reason.stopWords'],
  [/^the card has no text for the perspective\b/, 'reason.noPerspective'],
  [/^matches more than (?<max>\d+) cards, the limit of a paper$/, 'reason.paperCards'],
  [/^makes a paper (?:whose formulas take too long|of more than)\b/, 'reason.paperSize'],
  [/^and into have more than (?<max>\d+) occurrences together$/, 'reason.mergedOccurrences'],
  [/^and into have more than (?<max>\d+) attachments together$/, 'reason.attachments'],
  [/^the file ended after (?<read>\d+) of (?<total>\d+) rows\b/, 'reason.cutFile'],
];

export interface KnownReason {
  readonly key: MessageKey;
  readonly values: Readonly<Record<string, string>>;
}

/** Names of columns and sheets, quoted as in JSON: a header may have a line break. */
const NAMES = ['column', 'name', 'sheet'] as const;

function oneLine(name: string): string {
  return name.replace(/\\[nrt]/g, ' ').replace(/\\(["\\])/g, '$1');
}

/** Undefined for a sentence that a later gateway may say: then show the sentence. */
export function knownReason(reason: string): KnownReason | undefined {
  const sentence = reason.replace(/^(?:file|name): /, '');
  for (const [pattern, key] of REASONS) {
    const found = pattern.exec(sentence);
    if (found === null) continue;
    const values = { ...found.groups };
    for (const name of NAMES) if (values[name] !== undefined) values[name] = oneLine(values[name]);
    if ('sheet' in values) values.sheet = values.sheet?.replace(/^"(.+)"$/s, '“$1” ') ?? '';
    return { key, values };
  }
  return undefined;
}

/** The sentence in the language of the reader, as far as it is known. */
export function reasonText(reason: string, wording: Wording): string {
  const known = knownReason(reason);
  if (known === undefined) return reason;
  const { example, fields, types } = known.values;
  return wording.t(known.key, {
    ...known.values,
    ...(fields !== undefined && { fields: fieldNames(fields, wording) }),
    ...(types !== undefined && { types: types.replace(/\w+\//g, '').toUpperCase() }),
    ...(example !== undefined && { example: rowText(example, wording) }),
  });
}

/** What the gateway says of a refused field, in the language of the reader; undefined for an unknown sentence. */
export function refusalText(
  { field, message }: { readonly field: string | null; readonly message: string },
  wording: Wording,
): string | undefined {
  const begin = `${field}: `;
  const sentence = message.startsWith(begin) ? message.slice(begin.length) : message;
  if (knownReason(sentence) === undefined) return undefined;
  const reason = reasonText(sentence, wording);
  const [, content] = /^input\.(\w+)/.exec(field ?? '') ?? [];
  if (content === undefined) return reason;
  return wording.t('list.pair', { name: wording.named('field', content), value: reason });
}

/** A column as the file names it, behind the name of its field if that is another: 学科 (subject). */
export function columnText(column: string, wording: Wording): string {
  const field = wording.named('field', column);
  return field.toLowerCase() === column.toLowerCase() ? column : `${field} (${column})`;
}

/** Fields as the page names them: 难度、参考解法. */
function fieldNames(fields: string, wording: Wording): string {
  const names = fields.split(', ').map((field) => wording.named('field', field));
  return names.join(wording.t('list.comma'));
}

/** Of what is wrong with a row, which may begin with the column. */
function rowText(example: string, wording: Wording): string {
  const column = knownReason(example) === undefined ? (/^[^:]*: /.exec(example)?.[0] ?? '') : '';
  return column + reasonText(example.slice(column.length), wording);
}
