import { Readable } from 'node:stream';
import yazl from 'yazl';
import { letterOf } from '../../../domain/choices.js';
import { escapeMarkup } from '../../../domain/clean-text.js';

/** A sheet to write. Every cell is a text, so nothing is evaluated. */
export interface Sheet {
  readonly name: string;
  readonly columns: readonly { readonly header: string; readonly width: number }[];
  readonly rows: AsyncIterable<readonly string[]> | Iterable<readonly string[]>;
  /** Drop-down lists by column index: the choices, at most 255 characters with their commas. */
  readonly choices?: ReadonlyMap<number, readonly string[]>;
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
/** Characters of rows that are compressed at once: zlib takes a turn of the thread pool for each part. */
const PART_CHARS = 65_536;
/** Rows below the header with a drop-down list. */
const CHOICE_ROWS = 5_000;

/** Streams a workbook, sheet by sheet and row by row, in constant memory. An error of `rows` is the stream's error. */
export function writeXlsx(sheets: readonly Sheet[]): Readable {
  const zip = new yazl.ZipFile();
  const output = zip.outputStream as Readable;
  const add = (path: string, text: string): void => zip.addBuffer(Buffer.from(DECLARATION + text), path);
  add('[Content_Types].xml', contentTypes(sheets));
  add('_rels/.rels', relations([['officeDocument', 'xl/workbook.xml']]));
  add('xl/workbook.xml', workbook(sheets));
  add(
    'xl/_rels/workbook.xml.rels',
    relations([
      ...sheets.map((_, place): [string, string] => ['worksheet', `worksheets/sheet${place + 1}.xml`]),
      ['styles', 'styles.xml'],
    ]),
  );
  add('xl/styles.xml', STYLES);
  sheets.forEach((sheet, place) => {
    zip.addReadStreamLazy(`xl/worksheets/sheet${place + 1}.xml`, (done) => {
      const xml = Readable.from(sheetXml(sheet));
      // yazl does not handle it: a failing row would end the process.
      xml.once('error', (thrown) => output.destroy(thrown));
      done(null, xml);
    });
  });
  zip.end();
  return output;
}

async function* sheetXml({ columns, rows, choices }: Sheet): AsyncGenerator<string> {
  yield `${DECLARATION}<worksheet ${MAIN}><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${columns
    .map(
      ({ width }, place) => `<col min="${place + 1}" max="${place + 1}" width="${width}" style="2" customWidth="1"/>`,
    )
    .join('')}</cols><sheetData>`;
  yield row(
    columns.map(({ header }) => header),
    1,
    1,
  );
  let part = '';
  let number = 1;
  for await (const cells of rows) {
    number += 1;
    part += row(cells, 2, number);
    if (part.length < PART_CHARS) continue;
    yield part;
    part = '';
  }
  yield `${part}</sheetData>${validations(choices)}</worksheet>`;
}

/** A row of texts in one of the styles below. References are optional in a workbook, but exceljs needs them. */
function row(cells: readonly string[], style: number, number: number): string {
  const written = cells.map((text, place) => {
    const begin = `<c r="${letterOf(place)}${number}" s="${style}"`;
    return text === ''
      ? `${begin}/>`
      : `${begin} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
  });
  return `<row r="${number}">${written.join('')}</row>`;
}

function validations(choices: Sheet['choices']): string {
  if (choices === undefined || choices.size === 0) return '';
  const lists = [...choices].map(([place, texts]) => {
    const column = letterOf(place);
    return `<dataValidation type="list" allowBlank="1" showErrorMessage="0" sqref="${column}2:${column}${CHOICE_ROWS}"><formula1>"${escaped(texts.join(','))}"</formula1></dataValidation>`;
  });
  return `<dataValidations count="${lists.length}">${lists.join('')}</dataValidations>`;
}

/**
 * Styles: 0 plain, 1 header, 2 multi-line text, also of the empty cells of a column. Number format 49 is text: what is
 * typed stays as it is.
 */
const STYLES = `<styleSheet ${MAIN}><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/><xf xfId="0" numFmtId="49" applyNumberFormat="1" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf></cellXfs></styleSheet>`;

function contentTypes(sheets: readonly Sheet[]): string {
  const parts = sheets.map(
    (_, place) => `<Override PartName="/xl/worksheets/sheet${place + 1}.xml" ContentType="${CONTENT}.worksheet+xml"/>`,
  );
  return `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/>${parts.join('')}<Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/></Types>`;
}

function relations(targets: readonly (readonly [string, string])[]): string {
  const written = targets.map(
    ([type, target], place) => `<Relationship Id="rId${place + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${written.join('')}</Relationships>`;
}

function workbook(sheets: readonly Sheet[]): string {
  const named = sheets.map(
    ({ name }, place) => `<sheet name="${escaped(name)}" sheetId="${place + 1}" r:id="rId${place + 1}"/>`,
  );
  return `<workbook ${MAIN} xmlns:r="${RELATIONS}"><sheets>${named.join('')}</sheets></workbook>`;
}

/** Characters that XML 1.0 cannot represent. */
const INVALID_IN_XML = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff\r]/gu;

/**
 * Escapes text for XML. Characters that XML cannot represent become _x0001_, as in workbooks, and so does text of that
 * form.
 */
function escaped(text: string): string {
  return escapeMarkup(text.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')).replace(
    INVALID_IN_XML,
    (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  );
}
