import type { Attachment } from '../../../domain/attachment.js';
import type { MetadataEntry } from '../../../domain/card-values.js';
import { letteredLines, letterOf } from '../../../domain/choices.js';
import { comparedName } from '../../../domain/clean-text.js';
import { jsonIn } from '../../../domain/parse/json.js';

/** What tables have in a cell without a value; the last three as pandas writes them. */
const NO_VALUE: ReadonlySet<string> = new Set('无 没有 暂无 none n/a null - -- — —— / nan nat <na>'.split(' '));

export function isNoValue(text: string): boolean {
  return NO_VALUE.has(comparedName(text));
}

const isQuotedNoValue = (text: string): boolean => isNoValue(text.replaceAll('"', ''));

/** The cell of a name. In quotes, 无, none and the like are the name itself. */
export function cellOfName(name: string): string {
  return isQuotedNoValue(name) ? `"${name}"` : name;
}

/** The inverse of {@link cellOfName}; null if the cell has no value. */
export function nameInCell(text: string): string | null {
  if (isNoValue(text)) return null;
  return isQuotedNoValue(text) ? (/^\s*"(.*)"\s*$/s.exec(text)?.[1] ?? text) : text;
}

/** The cell of choices, each with its letter; in quotes if all of them are names for none. */
export function joinChoices(choices: readonly string[]): string {
  return letteredLines(choices.every(isQuotedNoValue) ? choices.map(cellOfName) : choices);
}

/** The choices that {@link joinChoices} has put in quotes, without them. */
export function unquotedChoices(choices: readonly unknown[]): readonly unknown[] {
  const isText = (choice: unknown): choice is string => typeof choice === 'string';
  if (!choices.every(isText) || !choices.every(isQuotedNoValue)) return choices;
  return choices.map((choice) => nameInCell(choice) ?? choice);
}

/** Separators between two labels of one cell. A slash is none: 路程/时间 is one label. */
const SEPARATORS = /[,，;；、|\n]/;

/** Separators in brackets divide nothing: 函数（导数、极值） is one label. */
const BRACKETS = /[(（][^()（）"\n]*[)）]/y;

/** The number before an entry of a numbered list, 1、 2. (3) ④, also right behind a Chinese character; no decimal. */
const NUMBER = /(?<=^|[\s,，;；、。|]|\p{Script=Han})(\d{1,2}) ?[、.．](?!\d)|[（(](\d{1,2})[）)]、?|([①-⑳])/gu;
const FIRST_NUMBER = /^(?:1 ?[、.．](?!\d)|[（(]1[）)]|①)/;

/** A numbered list with a line for each entry, without the numbers; any other text as it is. */
function unnumbered(text: string): string {
  if (!FIRST_NUMBER.test(text) || text.includes('"')) return text;
  let count = 0;
  const lines = text.replace(NUMBER, (number, plain, bracket, circle) => {
    const place = circle === undefined ? Number(plain ?? bracket) : circle.charCodeAt(0) - 0x245f;
    if (place !== count + 1) return number;
    count += 1;
    return '\n';
  });
  // (1) alone may be a part of a name.
  return count > 1 || !/^[（(]/.test(text) ? lines.replace(/[。.．](?=\s*$)/gm, '') : text;
}

/** Strings as JSON and Python write them, and all of a list or a dictionary of them: `['a', "b's"]`, `{"A": "12"}`. */
const STRING = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/gs;
const LIST = RegExp(`^\\s*\\[(?:\\s*(?:${STRING.source})\\s*(?:,|(?=\\])))*\\s*\\]\\s*$`, 's');
const PAIR = `(?:${STRING.source})\\s*:\\s*(?:${STRING.source})`;
const DICTIONARY = RegExp(`^\\s*\\{(?:\\s*${PAIR}\\s*(?:,|(?=\\})))*\\s*\\}\\s*$`, 's');

/** The strings of a cell of such a form; null if it has another one. */
function stringsIn(text: string, form: RegExp): string[] | null {
  if (!form.test(text)) return null;
  return [...text.matchAll(STRING)].map(([, single, double = '']) => {
    // Python escapes a quotation mark ' and characters of Latin 1 in its own way.
    const json = (single ?? double).replace(/\\x(..)|\\(.)|"|\n/gs, (match, hex, char) => {
      if (hex !== undefined) return `\\u00${hex}`;
      return char === "'" ? char : match === '"' ? '\\"' : match === '\n' ? '\\n' : match;
    });
    const parsed = jsonIn(`"${json}"`);
    return typeof parsed === 'string' ? parsed : (single ?? double);
  });
}

/** The choices of a cell that is a list, or a dictionary by letter; null if it is neither. */
export function choiceListIn(text: string): string[] | null {
  const pairs = stringsIn(text, DICTIONARY);
  const isLettered = pairs?.every((key, at) => at % 2 === 1 || key.trim().toUpperCase() === letterOf(at / 2));
  const list = isLettered ? (pairs ?? []).filter((_, at) => at % 2 === 1) : stringsIn(text, LIST);
  return list?.map((choice) => choice.trim().replace(/\s*[\r\n]\s*/g, ' ')) ?? null;
}

/**
 * The labels of one cell, trimmed. A label that contains a separator outside of brackets is in double quotes, with the
 * quotes in it doubled, as {@link joinLabels} writes it. 无, none and the like are no labels, unless they are in quotes;
 * neither are the numbers of a numbered list, and a Chinese full stop at the end is no part of a label.
 */
export function splitLabels(written: string): string[] {
  const text = unnumbered(written.trim());
  const list = stringsIn(text, LIST);
  if (list !== null) return list.map((one) => one.trim()).filter((one) => one !== '' && !isNoValue(one));
  const labels: string[] = [];
  let label = '';
  let quoted = false;
  let wasQuoted = false;
  const end = (): void => {
    if (wasQuoted) labels.push(label.trim());
    else if (!isNoValue(label)) labels.push(label.trim().replace(/。+$/, ''));
    label = '';
    wasQuoted = false;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    BRACKETS.lastIndex = at;
    if (quoted) {
      if (char === '"' && text[at + 1] === '"') {
        label += char;
        at += 1;
      } else if (char === '"') {
        quoted = false;
      } else {
        label += char;
      }
    } else if (char === '"' && label === '' && text.includes('"', at + 1)) {
      quoted = true;
      wasQuoted = true;
    } else if (BRACKETS.test(text)) {
      label += text.slice(at, BRACKETS.lastIndex);
      at = BRACKETS.lastIndex - 1;
    } else if (SEPARATORS.test(char)) {
      end();
    } else if (label !== '' || /\S/.test(char)) {
      label += char;
    }
  }
  end();
  return labels.filter((one) => one !== '');
}

/** The inverse of {@link splitLabels}. A bracket that is not closed would be closed by that of a later label. */
export function joinLabels(labels: readonly string[]): string {
  const needsQuotes = (label: string): boolean =>
    isNoValue(label) ||
    label.startsWith('[') ||
    label.endsWith('。') ||
    FIRST_NUMBER.test(label) ||
    SEPARATORS.test(label) ||
    /["()（）]/.test(label.replace(/[(（][^()（）]*[)）]/g, ''));
  return labels.map((label) => (needsQuotes(label) ? `"${label.replaceAll('"', '""')}"` : label)).join(' | ');
}

/** The metadata of one cell: an object or list in JSON, or a `key: value` on each line; undefined if it is neither. */
export function metadataIn(text: string): unknown {
  if (/^\s*[{[]/.test(text)) {
    const parsed = jsonIn(text);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return parsed;
    return Object.entries(parsed).map(([key, value]) => ({ key, value }));
  }
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const entries = lines.flatMap((line) => {
    const colon = line.search(/[:：]/);
    const [key, value] = [line.slice(0, Math.max(0, colon)).trim(), line.slice(colon + 1).trim()];
    return key === '' || value === '' ? [] : [{ key, value }];
  });
  return entries.length === lines.length ? entries : undefined;
}

/** The inverse of {@link metadataIn}; empty without entries. */
export function joinMetadata(entries: readonly MetadataEntry[]): string {
  return entries.length === 0 ? '' : JSON.stringify(Object.fromEntries(entries.map(({ key, value }) => [key, value])));
}

/** How a table names an uploaded file: its address on the gateway. */
const FILE = /^(?:\/?attachments\/)?([0-9a-f]{64})$/i;

/** Blanks, and other separators before a link, a blank or another separator. */
const BETWEEN_LINKS = /\s|[,，;；、|](?=https?:|[\s,，;；、|]|$)/i;

/** A link in <> between separators, and two of them that nothing but these divides. */
const LINK_IN_BRACKETS = /((?<=^|[>,，;；、|])<(?:https?:|\/?attachments\/)[^<>\s]+>)/i;
const LINKS_IN_BRACKETS = />[,，;；、|]*<(?:https?:|\/?attachments\/)/i;

/** The attachments of one cell: links, and addresses of uploaded files. A link in <> is not divided. */
export function splitAttachments(text: string): readonly Readonly<Record<string, string>>[] {
  return text
    .split(/\s+/)
    .flatMap((word) => {
      if (/^<.+>$/.test(word) && !LINKS_IN_BRACKETS.test(word)) return word;
      return word.split(LINK_IN_BRACKETS).flatMap((part) => (part.startsWith('<') ? part : part.split(BETWEEN_LINKS)));
    })
    .filter((word) => word !== '')
    .map((word): Readonly<Record<string, string>> => {
      const address = word.replace(/^<(.*)>$/, '$1');
      const [, sha256] = FILE.exec(address) ?? [];
      return sha256 === undefined ? { url: address } : { sha256 };
    });
}

/** The inverse of {@link splitAttachments}, without kinds and alternative texts. */
export function joinAttachments(attachments: readonly Pick<Attachment, 'url' | 'sha256'>[]): string {
  const isDivided = (url: string): boolean => BETWEEN_LINKS.test(url) || LINK_IN_BRACKETS.test(url);
  return attachments
    .map(({ url, sha256 }) => (url === null ? `/attachments/${sha256}` : isDivided(url) ? `<${url}>` : url))
    .join('\n');
}
