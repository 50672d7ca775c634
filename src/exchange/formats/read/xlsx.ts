import { BadInputError } from '../../../domain/errors.js';
import { plainNumber } from '../card-input.js';
import {
  CellError,
  type CellValue,
  columnOf,
  MAX_COLUMNS,
  MAX_LINES,
  MAX_ROW_BYTES,
  type Notice,
  ShownNumber,
  type TableRow,
} from '../source.js';
import { momentOfSerial, textOfHours } from '../values/moments.js';
import { CellText, TextReader } from './cell-text.js';
import { readMerges } from './merges.js';
import type { FractionFormat } from './number-formats.js';
import { readWorkbook, type SheetPart, type Workbook } from './workbook.js';
import { readXml, type XmlHandler } from './xml.js';
import { openWorkbook, type WorkbookParts } from './zip.js';

/** Rows of one sheet, including empty ones: a sheet that is formatted to its very end has 1,048,576. */
const MAX_SHEET_ROWS = 100_100;

/** What WPS saves as the value of a picture in a cell. */
const PICTURE_OF_WPS = /^=(?:_xlfn\.)?DISPIMG\(/i;

/**
 * The rows of every visible sheet of a workbook, in their order; of a formula the value that it had when the workbook
 * was saved. BadInputError (`file`) where the workbook cannot be used.
 */
export async function* readXlsx(path: string, onNotice: Notice): AsyncGenerator<TableRow> {
  const parts = await openWorkbook(path);
  try {
    const workbook = await readWorkbook(parts);
    if (workbook.hasPictures) onNotice('the pictures are skipped: add them to the cards after the import');
    for (const sheet of workbook.sheets) {
      if (sheet.isHidden) onNotice(`the sheet ${JSON.stringify(sheet.name)} is skipped: it is hidden`);
      else yield* readSheet(parts, workbook, sheet);
    }
  } finally {
    parts.close();
  }
}

async function* readSheet(parts: WorkbookParts, workbook: Workbook, sheet: SheetPart): AsyncGenerator<TableRow> {
  const merged = await readMerges(sheet.name, parts.read(sheet.part));
  const rows: TableRow[] = [];
  const handler = new SheetHandler(workbook, sheet.name, (row, values) => {
    merged.fill(row, values);
    rows.push({ sheet: sheet.name, row, values });
  });
  for await (const _ of readXml(`the sheet ${JSON.stringify(sheet.name)}`, parts.read(sheet.part), handler)) {
    yield* rows.splice(0);
  }
  yield* rows;
}

/** Collects the cells of a sheet into rows. */
class SheetHandler implements XmlHandler {
  readonly #inline: TextReader;
  #rowCount = 0;
  #row = 0;
  #values: CellValue[] = [];
  #rowChars = 0;
  #column = -1;
  #type = 'n';
  #style = 0;
  #value: string | null = null;
  readonly #plain = new CellText();
  #inValue = false;
  #hasFormula = false;
  /** True for a picture in a cell of Excel, which older programs show as #VALUE!. */
  #hasRichValue = false;
  #inCell = false;

  constructor(
    private readonly workbook: Workbook,
    private readonly sheet: string,
    private readonly onRow: (row: number, values: CellValue[]) => void,
  ) {
    this.#inline = new TextReader('is', (text) => {
      this.#value = text;
    });
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'row') this.#openRow(attributes.r);
    else if (name === 'c') this.#openCell(attributes);
    else if (this.#inCell && name === 'f') this.#hasFormula = true;
    else if (this.#inCell && name === 'v') {
      this.#inValue = true;
      this.#plain.clear();
    } else this.#inline.open(name, attributes);
  }

  close(name: string): void {
    if (name === 'v' && this.#inValue) {
      this.#inValue = false;
      this.#value = this.#plain.read();
    } else if (name === 'c') this.#closeCell();
    else if (name === 'row') this.onRow(this.#row, this.#values);
    else this.#inline.close(name);
  }

  text(text: string): void {
    if (this.#inValue) this.#plain.add(text);
    else this.#inline.text(text);
  }

  #openRow(number: string | undefined): void {
    this.#rowCount += 1;
    this.#row = number === undefined ? this.#row + 1 : Number(number);
    if (!Number.isInteger(this.#row) || this.#row < 1 || this.#row > MAX_LINES)
      this.#refuse(
        `has a row with the number ${JSON.stringify(number?.slice(0, 20) ?? this.#row)}: rows are 1 to ${MAX_LINES}`,
      );
    if (this.#rowCount > MAX_SHEET_ROWS)
      this.#refuse(`has more than 100000 rows, empty ones among them: delete those, or cut it in two`);
    this.#values = [];
    this.#rowChars = 0;
    this.#column = -1;
  }

  #openCell({ r, t = 'n', s = '0', vm }: Readonly<Record<string, string>>): void {
    const letters = /^[A-Z]{1,3}(?=\d)/.exec(r ?? '')?.[0];
    this.#column = letters === undefined ? this.#column + 1 : columnOf(letters);
    this.#type = t;
    this.#style = Number(s);
    this.#value = null;
    this.#hasFormula = false;
    this.#hasRichValue = vm !== undefined;
    this.#inCell = true;
  }

  #closeCell(): void {
    this.#inCell = false;
    const value = this.#meaning();
    if (value === null || value === '') return;
    if (this.#column >= MAX_COLUMNS) this.#refuse(`has values beyond column ${MAX_COLUMNS}: row ${this.#row}`);
    // Many cells may refer to one shared text: it is not copied here, but when the row is assembled.
    this.#rowChars += typeof value === 'string' ? value.length : 0;
    if (this.#rowChars > MAX_ROW_BYTES)
      this.#refuse(`has a row with more than ${MAX_ROW_BYTES} characters: row ${this.#row}`);
    while (this.#values.length < this.#column) this.#values.push(null);
    this.#values[this.#column] = value;
  }

  #meaning(): CellValue {
    const text = this.#value;
    if (text === null || text === '') {
      // A formula whose result is the empty text has this type: it was computed.
      return this.#hasFormula && this.#type !== 'str'
        ? new CellError('of a formula without a computed value: open and save the file once')
        : null;
    }
    switch (this.#type) {
      case 's': {
        const shared = this.workbook.sharedTexts[Number(text)];
        return shared ?? this.#refuse(`refers to a shared text that does not exist: row ${this.#row}`);
      }
      case 'b':
        return text === '1' ? 'TRUE' : 'FALSE';
      case 'e':
        return this.#hasRichValue && this.workbook.hasPictures ? null : new CellError(text);
      case 'str':
        return this.#hasFormula && PICTURE_OF_WPS.test(text) ? null : text;
      case 'inlineStr':
      case 'd':
        return text;
      default:
        return this.#number(Number(text));
    }
  }

  #number(value: number): CellValue {
    if (!Number.isFinite(value)) return new CellError('of an invalid number');
    const meaning = this.workbook.meaningOf(this.#style);
    if (meaning === 'NUMBER') return value;
    if (typeof meaning === 'object' && 'decimals' in meaning) {
      const { decimals, unit } = meaning;
      return new ShownNumber(value, (decimals === null ? plainNumber(value) : withDecimals(value, decimals)) + unit);
    }
    if (typeof meaning === 'object') return new ShownNumber(value, asFraction(value, meaning));
    if (meaning === 'PERCENT') return `${plainNumber(value * 100)}%`;
    const moment = momentOfSerial(value, this.workbook.startsIn1904);
    if (Number.isNaN(moment.getTime())) return new CellError('of an invalid date');
    return meaning === 'HOURS' ? (textOfHours(moment) ?? moment) : moment;
  }

  #refuse(reason: string): never {
    throw new BadInputError('file', `the sheet ${JSON.stringify(this.sheet)} ${reason}`);
  }
}

/** Rounds the decimal number, halves away from zero: 1.005 is 1.01, which is a little less as a binary number. */
function withDecimals(value: number, decimals: number): string {
  const scale = 10 ** decimals;
  const scaled = Math.round(Number((Math.abs(value) * scale).toPrecision(15)));
  return ((Math.sign(value) * scaled) / scale).toFixed(decimals);
}

/** The nearest fraction, of equally near ones that with the smallest denominator: 1 1/2 and 3, or 3/2 and 3/1. */
function asFraction(value: number, { hasWhole, denominator, isFixed }: FractionFormat): string {
  const size = Math.abs(value);
  let [over, under] = [Math.round(size * denominator), denominator];
  for (let one = denominator - 1; one >= 1 && !isFixed; one -= 1) {
    const near = Math.round(size * one);
    if (Math.abs(near / one - size) <= Math.abs(over / under - size)) [over, under] = [near, one];
  }
  const sign = value < 0 && over > 0 ? '-' : '';
  if (!hasWhole) return `${sign}${over}/${under}`;
  const whole = Math.floor(over / under);
  const rest = over - whole * under;
  if (rest === 0) return `${sign}${whole}`;
  return `${sign}${whole === 0 ? '' : `${whole} `}${rest}/${under}`;
}
