import { describe, expect, test } from '@jest/globals';
import { nodes, parse, type Source, type SyntaxNode, sources } from './sources.js';

describe('docstrings', () => {
  test('everything that a file exports says what it answers', () => {
    expect(sources().flatMap(undocumented)).toEqual([]);
  });

  test.each([
    ['a function', 'export function a() {}'],
    ['a class', `@Dec({ title: 'description' }) export class a {}`],
    ['an interface', 'export interface a {}'],
    ['a type', 'export type a = 1;'],
    ['a constant', 'export const a = 1;'],
    ['a declaration that is exported later', 'const a = 1;\nexport { a };'],
    ['one under a comment for another', '/** b */\nconst b = 1;\nexport const a = 错;'],
    ['one under a plain comment', '// words\nexport const a = 1;'],
  ])('are missed by %s without one', (_what, text) => {
    expect(undocumented({ path: 'probe.ts', text })).toEqual(['probe.ts: a']);
  });

  test('are found above, under and in decorators, before plain comments and after Chinese text', () => {
    const text = [
      `import '错题';`,
      '/** a */ @Dec() export class A {}',
      '@Dec({ b: 1 }) /** b */ export class B {}',
      '/** c */ // why\nexport const c = 1;',
      '/** d */\nexport function d(x: 1): void;\nexport function d(x: 1) {}',
      `@ObjectType({ description: 'e' }) export class E {}`,
      `export * from './other.js';`,
    ].join('\n');
    expect(undocumented({ path: 'probe.ts', text })).toEqual([]);
  });
});

/** The exported names without a docstring of their own, as `path: name`. Re-exports are documented where they are declared. */
function undocumented({ path, text }: Source): readonly string[] {
  const bytes = Buffer.from(text);
  const documented = new Map<string, boolean>();
  const exported = new Set<string>();
  let end = 0;
  for (const item of parse(text).body as unknown as SyntaxNode[]) {
    const span = item.span as { start: number; end: number };
    // Between two items there is nothing but comments and decorators. Overloads share the docstring of any of them.
    const hasDocstring = bytes.subarray(end, span.start - 1).includes('/**') || describesItself(item);
    end = span.end - 1;
    for (const name of declared(item)) {
      documented.set(name, hasDocstring || documented.get(name) === true);
      if (item.type.startsWith('Export')) exported.add(name);
    }
    if (item.type === 'ExportNamedDeclaration' && !item.source) {
      for (const one of item.specifiers as { orig: { value: string } }[]) exported.add(one.orig.value);
    }
  }
  return [...exported].filter((name) => documented.get(name) === false).map((name) => `${path}: ${name}`);
}

/** True for a class whose decorator has a `description`: the schema shows it, and saying it twice would let the two drift. */
function describesItself({ declaration }: SyntaxNode): boolean {
  const { decorators } = (declaration ?? {}) as { decorators?: unknown };
  return [...nodes(decorators)].some(
    ({ type, key }) => type === 'KeyValueProperty' && (key as SyntaxNode).value === 'description',
  );
}

/** The names that a top-level item declares. */
function declared(item: SyntaxNode): readonly string[] {
  const { declaration, decl, declarations, identifier, id, type } = item as Record<string, SyntaxNode | undefined>;
  if (declaration || decl) return declared((declaration ?? decl) as SyntaxNode);
  if (Array.isArray(declarations))
    return declarations.flatMap((one: { id: SyntaxNode }) => String(one.id.value ?? 'a pattern'));
  const name = (identifier ?? id)?.value;
  if (typeof name === 'string') return [name];
  return String(type).startsWith('ExportDefault') ? ['default'] : [];
}
