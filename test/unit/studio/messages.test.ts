import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { buildSchema, type GraphQLEnumType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';
import { chineseGrade, chineseSubject } from '../../../src/domain/school-names.js';
import { en } from '../../../studio/messages/en/index.js';
import { zh } from '../../../studio/messages/zh/index.js';

const folder = join(packageRoot(), 'studio');
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.tsx?$/.test(name) && !/^(messages|generated)\/|\.d\.ts$/.test(name),
);
const code = new Map(sources.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
const schema = buildSchema(readFileSync(join(packageRoot(), 'schema.graphql'), 'utf8'));
const all = [...code.values()].join('\n');

const LANGUAGES = { en, zh } as Readonly<Record<string, Readonly<Record<string, string>>>>;

describe('the messages', () => {
  test('exist in both languages, not empty, with the same placeholders', () => {
    expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
    const values = (message: string): readonly string[] => (message.match(/\{[a-z]\w*\}/gi) ?? []).sort();
    for (const [key, message] of Object.entries(LANGUAGES.en ?? {})) {
      const chinese = LANGUAGES.zh?.[key] ?? '';
      expect(message.trim() !== '' && chinese.trim() !== '', key).toBe(true);
      if (!key.startsWith('example.')) expect(values(chinese), key).toEqual(values(message));
    }
  });

  test.each([
    ['filterPlan', 'FilterPlan'],
    ['metric', 'Metric'],
    ['retriever', 'Retriever'],
    ['stage', 'SearchStage'],
  ])('name each %s of the schema', (prefix, type) => {
    const values = (schema.getType(type) as GraphQLEnumType).getValues().map(({ name }) => name);
    const isNamed = (value: string): boolean => [value, value.toLowerCase()].some((one) => `${prefix}.${one}` in en);
    expect(values.filter((value) => !isNamed(value))).toEqual([]);
  });

  test('in Chinese name each subject and grade as papers and files do', () => {
    const named = (prefix: string, nameOf: (stored: string) => string): void => {
      const keys = Object.keys(zh).filter((key) => key.startsWith(prefix));
      expect(keys.map((key) => LANGUAGES.zh?.[key])).toEqual(keys.map((key) => nameOf(key.slice(prefix.length))));
    };
    named('subject.', chineseSubject);
    named('grade.', chineseGrade);
  });

  test('in Chinese have full-width punctuation between Chinese characters', () => {
    const wrong = Object.entries(zh).filter(([, message]) =>
      /\p{Script=Han}[,;:!?]|[,;:!?]\p{Script=Han}/u.test(message),
    );
    expect(wrong).toEqual([]);
  });

  test('name the largest files that can be imported as docs/import-export.md does', () => {
    const limits = readFileSync(join(packageRoot(), 'docs', 'import-export.md'), 'utf8');
    const sizes = /\| size \| (\d+ MB); a workbook (\d+ MB)/.exec(limits)?.slice(1) ?? [];
    expect(sizes.length).toBe(2);
    for (const messages of [en, zh]) expect(messages['import.kinds'].match(/\d+ MB/g)).toEqual(sizes);
  });

  test('are all used, by their names or prefixes', () => {
    const prefixes = [...all.matchAll(/[`'](\w+(?:\.\w+)*)\.\$\{/g), ...all.matchAll(/named\('([\w.]+)'/g)].map(
      ([, prefix]) => `${prefix}.`,
    );
    const unused = Object.keys(en).filter(
      (key) => !all.includes(`'${key}'`) && !prefixes.some((prefix) => key.startsWith(prefix)),
    );
    expect(unused).toEqual([]);
  });
});

/** Attributes that a person reads or hears. */
const READ = ['alt', 'aria-label', 'aria-description', 'label', 'name', 'placeholder', 'title'];
/** Names of things, keys and commands, the same in every language. */
const NAMES = /^(Errata|GraphiQL|[A-Z]|npm run errata -- [\w -]+|SEARCH_LOG=texts npm start)$/;

/** Texts that stand in the markup of a file instead of in the messages. */
function textsIn(source: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const one of node) visit(one);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const { type, value, name } = node as { type?: string; value?: unknown; name?: { value?: string } };
    if (type === 'JSXText') found.push(String(value));
    if (type === 'JSXAttribute' && READ.includes(name?.value ?? '')) {
      const text = value as { type?: string; value?: string } | null;
      if (text?.type === 'StringLiteral') found.push(String(text.value));
    }
    if (type === 'StringLiteral' && /\p{Script=Han}/u.test(String(value))) found.push(String(value));
    for (const inner of Object.values(node)) visit(inner);
  };
  visit(parseSync(source, { syntax: 'typescript', tsx: true }));
  return found.map((text) => text.trim()).filter((text) => /\p{L}/u.test(text) && !NAMES.test(text));
}

describe('the code contains no visible text', () => {
  test.each(sources.filter((name) => name.endsWith('.tsx')))('of %s', (name) => {
    // Languages are named in themselves.
    expect(textsIn(code.get(name) ?? '').filter((text) => text !== '中文')).toEqual([]);
  });

  /** A colon or comma that joins texts is written otherwise in Chinese. */
  const JOINED = /\}[:;,] \$\{|\.join\('[:,;] '\)|\}\s*[:;,]\s*\{(?=[^{}]*\}\s*[<{])/;

  test.each(sources.filter((name) => name.endsWith('.tsx')))('and no punctuation between texts of %s', (name) => {
    expect(JOINED.exec(code.get(name) ?? '')?.[0]).toBeUndefined();
  });

  test('and the check detects one', () => {
    const source = 'const a = <p title="Hello">{1} there <b aria-label={"x"}>·</b></p>; const b = "题目";';
    expect(textsIn(source)).toEqual(['Hello', 'there', '题目']);
    const joined = [
      `\${name}: \${value}`,
      `\${one}, \${two}`,
      "names.join(', ')",
      '<b>{name}: {value}</b>',
      '{a}, {b} {c}',
    ];
    expect(joined.filter((one) => !JOINED.test(one))).toEqual([]);
  });
});
