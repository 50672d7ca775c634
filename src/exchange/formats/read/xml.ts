import { SaxesParser } from 'saxes';
import { BadInputError } from '../../../domain/errors.js';

/** Between two tags; a cell has at most 220,000 characters. */
const MAX_GAP_BYTES = 2 * 1024 * 1024;

/** Names come without their prefix. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

/**
 * Parses a part of a workbook, and yields after each chunk, so that the caller can take what the handler has collected.
 * BadInputError (`file`) for XML that is not well-formed, declares entities, or has too long a text.
 */
export async function* readXml(part: string, bytes: AsyncIterable<Buffer>, handler: XmlHandler): AsyncGenerator<void> {
  const refused = (reason: string): BadInputError => new BadInputError('file', `${part} ${reason}`);
  const parser = new SaxesParser({ position: true });
  let gap = 0;
  parser.on('error', (error) => {
    throw refused(`is not well-formed: ${error.message}`);
  });
  parser.on('doctype', () => {
    throw refused('declares a document type: no workbook does');
  });
  parser.on('opentag', ({ name, attributes }) => {
    gap = 0;
    handler.open(local(name), attributes as Record<string, string>);
  });
  parser.on('closetag', ({ name }) => {
    gap = 0;
    handler.close?.(local(name));
  });
  parser.on('text', (text) => handler.text?.(text));
  parser.on('cdata', (text) => handler.text?.(text));
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Buffer): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw refused('is not valid UTF-8');
    }
  };
  for await (const chunk of bytes) {
    gap += chunk.length;
    parser.write(decode(chunk));
    if (gap > MAX_GAP_BYTES) throw refused('has a text longer than any cell can hold');
    yield;
  }
  parser.write(decode());
  parser.close();
}

export async function readWholeXml(part: string, bytes: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml(part, bytes, handler)) {
    // The handler collects the data.
  }
}

function local(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

/** The value of an attribute, ignoring its prefix: `r:id` is `id`. */
export function attribute(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  if (attributes[name] !== undefined) return attributes[name];
  const key = Object.keys(attributes).find((one) => local(one) === name);
  return key === undefined ? undefined : attributes[key];
}
