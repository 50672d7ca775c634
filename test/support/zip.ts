import { crc32, deflateRawSync } from 'node:zlib';

/** One entry of a zip file, written as it is told, true or not. */
export interface ZipEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** What the file says that the entry unpacks to, in bytes; the truth by default. */
  readonly claimedSize?: number;
  /** Its bytes in the file, where they are not the packed content. */
  readonly packed?: Uint8Array;
  /** Sets the mark of a password. */
  readonly encrypted?: boolean;
}

/** A zip file, byte by byte, so that it may also lie. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claimedSize, encrypted = false, ...entry } of entries) {
    const bytes = Buffer.from(content as string);
    const packed = entry.packed ?? deflateRawSync(bytes);
    const path = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(encrypted ? 0x801 : 0x800, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(claimedSize ?? bytes.length, 18);
    fields.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, path, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), Buffer.from([20, 0]), fields, tail, path]));
    bodies.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(index.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, index, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** What a workbook of a test holds. */
export interface WorkbookOf {
  /** By the sheet's name, what stands inside of `<worksheet>`. */
  readonly sheets: Readonly<Record<string, string>>;
  /** Texts that cells name by their place, each the inside of `<si>`. */
  readonly shared?: readonly string[];
  /** The inside of `<styleSheet>`. */
  readonly styles?: string;
  readonly properties?: string;
  readonly hidden?: readonly string[];
  /** Further entries; one with the name of another takes its place. */
  readonly more?: readonly ZipEntry[];
}

/** The entries of a workbook as Excel writes them, small. */
export function workbookEntries(of: WorkbookOf): readonly ZipEntry[] {
  const names = Object.keys(of.sheets);
  const sheetPart = (place: number): string => `xl/worksheets/sheet${place + 1}.xml`;
  const overrides = names.map(
    (_, place) => `<Override PartName="/${sheetPart(place)}" ContentType="${CONTENT}.worksheet+xml"/>`,
  );
  const targets = names.map(
    (_, place) => `<Relationship Id="s${place}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${place + 1}.xml"/>`,
  );
  const entries: ZipEntry[] = [
    {
      name: '[Content_Types].xml',
      content: `<?xml version="1.0"?><Types xmlns="${PACKAGE}/content-types"><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/>${overrides.join('')}</Types>`,
    },
    {
      name: 'xl/workbook.xml',
      content: `<?xml version="1.0"?><workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${of.properties ?? ''}<sheets>${names
        .map((name, place) => {
          const state = of.hidden?.includes(name) ? ' state="hidden"' : '';
          return `<sheet name="${name}" sheetId="${place + 1}" r:id="s${place}"${state}/>`;
        })
        .join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: `<?xml version="1.0"?><Relationships xmlns="${PACKAGE}/relationships">${targets.join('')}<Relationship Id="t" Type="${OFFICE}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="y" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    },
    {
      name: 'xl/sharedStrings.xml',
      content: `<?xml version="1.0"?><sst xmlns="${MAIN}">${(of.shared ?? []).map((text) => `<si>${text}</si>`).join('')}</sst>`,
    },
    {
      name: 'xl/styles.xml',
      content: `<?xml version="1.0"?><styleSheet xmlns="${MAIN}">${of.styles ?? ''}</styleSheet>`,
    },
    ...Object.values(of.sheets).map((inside, place) => ({
      name: sheetPart(place),
      content: `<?xml version="1.0"?><worksheet xmlns="${MAIN}">${inside}</worksheet>`,
    })),
  ];
  const more = of.more ?? [];
  return [...entries.filter(({ name }) => more.every((one) => one.name !== name)), ...more];
}

/** A workbook as a file. */
export function workbookOf(of: WorkbookOf): Buffer {
  return zipOf(workbookEntries(of));
}

/** The rows of a sheet, every cell a text in itself; `raw` cells (`<c ...>`) as they are. */
export function rowsXml(rows: readonly (readonly string[])[]): string {
  const cell = (text: string): string => {
    if (text.startsWith('<c')) return text;
    const written = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return text === '' ? '<c/>' : `<c t="inlineStr"><is><t xml:space="preserve">${written}</t></is></c>`;
  };
  return `<sheetData>${rows.map((cells) => `<row>${cells.map(cell).join('')}</row>`).join('')}</sheetData>`;
}
