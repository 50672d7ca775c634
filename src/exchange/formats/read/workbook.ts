import { posix } from 'node:path';
import { BadInputError } from '../../../domain/errors.js';
import { TextReader } from './cell-text.js';
import { attribute, readWholeXml } from './xml.js';
import type { WorkbookParts } from './zip.js';

export interface SheetPart {
  readonly name: string;
  /** Path in the workbook: `xl/worksheets/sheet1.xml`. */
  readonly part: string;
  readonly isHidden: boolean;
}

export interface FractionFormat {
  /** False: 3/2 instead of 1 1/2. */
  readonly hasWhole: boolean;
  /** The denominator, or the greatest one. */
  readonly denominator: number;
  readonly isFixed: boolean;
}

export interface DecimalFormat {
  /** Null: as many as the number has. */
  readonly decimals: number | null;
  /** Behind the number, such as ° or 元. */
  readonly unit: string;
}

type NumberMeaning = 'DATE' | 'PERCENT' | 'NUMBER' | DecimalFormat | FractionFormat;

/** Workbook-wide data that reading a sheet needs. */
export interface Workbook {
  readonly sheets: readonly SheetPart[];
  readonly startsIn1904: boolean;
  /** The shared texts, which cells refer to by index. */
  readonly sharedTexts: readonly string[];
  readonly meaningOf: (style: number) => NumberMeaning;
  /** Whether it has pictures, in cells or above them. */
  readonly hasPictures: boolean;
}

/** All shared texts together, in UTF-16 units: they are kept in memory. */
const MAX_SHARED_CHARS = 48_000_000;
/** Overhead of a text, in characters: an empty one takes memory too. */
const TEXT_COST_CHARS = 8;

/** The name of a sheet is part of every problem of its rows; Excel allows 31. */
const MAX_SHEET_NAME_CHARS = 100;

const CONTENT_TYPES = '[Content_Types].xml';
const WORKSHEET = /\/worksheet$/;

/** Reads the workbook-wide parts. BadInputError (`file`). */
export async function readWorkbook(parts: WorkbookParts): Promise<Workbook> {
  const main = await mainPart(parts);
  const targets = await relationships(parts, main);
  const sheets: SheetPart[] = [];
  let startsIn1904 = false;
  await readWholeXml(main, parts.read(main), {
    open(name, attributes) {
      if (name === 'workbookPr') startsIn1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
      if (name !== 'sheet') return;
      const target = targets.get(attribute(attributes, 'id') ?? '');
      // Chart sheets have no rows.
      if (target === undefined || !WORKSHEET.test(target.type)) return;
      sheets.push({
        name: (attributes.name ?? '').slice(0, MAX_SHEET_NAME_CHARS),
        part: target.part,
        isHidden: (attributes.state ?? 'visible') !== 'visible',
      });
    },
  });
  if (sheets.length === 0) throw new BadInputError('file', 'is a workbook without a sheet');
  const ofType = (type: string): string | undefined =>
    [...targets.values()].find((target) => target.type.endsWith(`/${type}`))?.part;
  return {
    sheets,
    startsIn1904,
    sharedTexts: await sharedTexts(parts, ofType('sharedStrings')),
    meaningOf: await numberStyles(parts, ofType('styles')),
    hasPictures: [...parts.names].some((name) => name.startsWith(posix.join(posix.dirname(main), 'media/'))),
  };
}

/** Path of the workbook part, by its content type; one with macros has another type. */
async function mainPart(parts: WorkbookParts): Promise<string> {
  let main: string | undefined;
  await readWholeXml(CONTENT_TYPES, parts.read(CONTENT_TYPES), {
    open(name, { ContentType = '', PartName }) {
      // SheetJS names such a type in every workbook, as the default of .bin.
      if (name !== 'Override') return;
      if (/macroEnabled/i.test(ContentType))
        throw new BadInputError('file', 'contains macros: save it as .xlsx without macros');
      if (ContentType.endsWith('spreadsheetml.sheet.main+xml')) main = PartName?.replace(/^\//, '');
    },
  });
  if (main === undefined) throw new BadInputError('file', 'is not an .xlsx workbook');
  return main;
}

interface Target {
  readonly type: string;
  readonly part: string;
}

async function relationships(parts: WorkbookParts, main: string): Promise<ReadonlyMap<string, Target>> {
  const folder = posix.dirname(main);
  const part = posix.join(folder, '_rels', `${posix.basename(main)}.rels`);
  const targets = new Map<string, Target>();
  await readWholeXml(part, parts.read(part), {
    open(name, { Id, Type = '', Target, TargetMode }) {
      if (name !== 'Relationship' || Id === undefined || Target === undefined || TargetMode === 'External') return;
      const path = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target);
      if (parts.names.has(path)) targets.set(Id, { type: Type, part: path });
    },
  });
  return targets;
}

async function sharedTexts(parts: WorkbookParts, part: string | undefined): Promise<readonly string[]> {
  if (part === undefined) return [];
  const texts: string[] = [];
  let chars = 0;
  const reader = new TextReader((text) => {
    texts.push(text);
    chars += text.length + TEXT_COST_CHARS;
    if (chars > MAX_SHARED_CHARS)
      throw new BadInputError('file', 'exceeds the size limit of a workbook: split the file');
  });
  await readWholeXml(part, parts.read(part), {
    open: (name, attributes) => reader.open(name, attributes, 'si'),
    close: (name) => reader.close(name, 'si'),
    text: (text) => reader.text(text),
  });
  return texts;
}

/** Built-in formats have no code in the file; some of those of dates are of Chinese and Japanese Excel. */
function meaningOfBuiltin(format: number): NumberMeaning {
  if (format === 9 || format === 10) return 'PERCENT';
  if (format === 2 || format === 4) return { decimals: 2, unit: '' };
  if (format === 12 || format === 13) {
    return { hasWhole: true, denominator: format === 12 ? 9 : 99, isFixed: false };
  }
  const isDate = (format >= 14 && format <= 22) || (format >= 27 && format <= 36) || (format >= 45 && format <= 58);
  return isDate ? 'DATE' : 'NUMBER';
}

async function numberStyles(parts: WorkbookParts, part: string | undefined): Promise<Workbook['meaningOf']> {
  if (part === undefined) return () => 'NUMBER';
  const custom = new Map<number, NumberMeaning>();
  const formats: number[] = [];
  let inCellFormats = false;
  await readWholeXml(part, parts.read(part), {
    open(name, { numFmtId = '0', formatCode = '' }) {
      if (name === 'numFmt') custom.set(Number(numFmtId), meaningOfCode(formatCode));
      else if (name === 'cellXfs') inCellFormats = true;
      else if (name === 'xf' && inCellFormats) formats.push(Number(numFmtId));
    },
    close(name) {
      if (name === 'cellXfs') inCellFormats = false;
    },
  });
  const meanings = formats.map((format) => custom.get(format) ?? meaningOfBuiltin(format));
  return (style) => meanings[style] ?? 'NUMBER';
}

/**
 * Outside of quoted texts and colours, the format of a date contains years, months, days or hours. Of the other formats
 * those of decimals, also with a unit, and fractions are known, with a blank behind them or without: 0.00 and `0.00_ `.
 */
function meaningOfCode(code: string): NumberMeaning {
  const plain = code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, '');
  if (plain.includes('%')) return 'PERCENT';
  if (!/general/i.test(plain) && /[ymdhs]/i.test(plain)) return 'DATE';
  return decimalsOf(code) ?? fractionOf(code) ?? 'NUMBER';
}

/** `0.00`, `#,##0.00`, `0"°"`, `#,##0.0"元"` or `General"元"`; whole numbers without a unit are shown as they are. */
const DECIMALS = /^(?:General|(?:#,##)?0(?:\.(?<decimals>0{1,15}))?)(?:"(?<unit>[^"]{1,20})")?(?:_.)?(?:;|$)/i;

function decimalsOf(code: string): DecimalFormat | undefined {
  const parts = DECIMALS.exec(code)?.groups;
  if (parts === undefined || (parts.decimals === undefined && parts.unit === undefined)) return undefined;
  const decimals = /^general/i.test(code) ? null : (parts.decimals?.length ?? 0);
  return { decimals, unit: parts.unit ?? '' };
}

/** `# ?/?`, `# ???/???` or `?/4`, with escaped blanks or without; more than three digits are not looked for. */
const FRACTION =
  /^(?<whole>[#0](?:\\? |" ")+)?[?#0]{1,3}\/(?:(?<digits>[?#0]{1,3})|(?<fixed>[1-9]\d{0,3}))(?:_.)?(?:;|$)/;

function fractionOf(code: string): FractionFormat | undefined {
  const parts = FRACTION.exec(code)?.groups;
  if (parts === undefined) return undefined;
  const denominator = parts.fixed === undefined ? 10 ** (parts.digits?.length ?? 1) - 1 : Number(parts.fixed);
  return { hasWhole: parts.whole !== undefined, denominator, isFixed: parts.fixed !== undefined };
}
