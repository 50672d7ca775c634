import { posix } from 'node:path';
import { BadInputError } from '../../../domain/errors.js';
import { MAX_SHEET_NAME_CHARS } from '../source.js';
import { TextReader } from './cell-text.js';
import { meaningOfBuiltin, meaningOfCode, type NumberMeaning } from './number-formats.js';
import { attribute, readWholeXml } from './xml.js';
import type { WorkbookParts } from './zip.js';

export interface SheetPart {
  readonly name: string;
  /** Path in the workbook: `xl/worksheets/sheet1.xml`. */
  readonly part: string;
  readonly isHidden: boolean;
}

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
  const reader = new TextReader('si', (text) => {
    texts.push(text);
    chars += text.length + TEXT_COST_CHARS;
    if (chars > MAX_SHARED_CHARS)
      throw new BadInputError('file', 'exceeds the size limit of a workbook: split the file');
  });
  await readWholeXml(part, parts.read(part), reader);
  return texts;
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
