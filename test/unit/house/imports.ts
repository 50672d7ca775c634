import { posix } from 'node:path';
import { nodes, parse, type SyntaxNode } from './sources.js';

/** One place where a file names another module. */
export interface Import {
  /** As written; null where it is computed when the program runs. */
  readonly specifier: string | null;
  /** Nothing of it is left in the compiled file. */
  readonly typeOnly: boolean;
}

/** Everything that a TypeScript source imports: static, type-only, re-exported, `import()`, `require` and their `resolve`. */
export function importsOf(text: string): readonly Import[] {
  return [...nodes(parse(text))].flatMap((node): Import[] => {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'ExportNamedDeclaration':
        return node.source ? [{ specifier: literal(node.source), typeOnly: node.typeOnly === true }] : [];
      case 'TsImportType':
        return [{ specifier: literal(node.argument), typeOnly: true }];
      case 'TsExternalModuleReference':
        return [{ specifier: literal(node.expression), typeOnly: false }];
      case 'CallExpression':
        return loads(node.callee as SyntaxNode) ? [{ specifier: firstArgument(node), typeOnly: false }] : [];
      default:
        return [];
    }
  });
}

/** True where the source reaches for the environment: `process.env`, `{ env } = process`, `import { env } from 'node:process'`. */
export function readsEnvironment(text: string): boolean {
  return [...nodes(parse(text))].some((node) => {
    switch (node.type) {
      case 'MemberExpression':
        return isProcess(node.object) && nameOf(node.property) === 'env';
      case 'VariableDeclarator':
        return (
          isProcess(node.init) &&
          (node.id as SyntaxNode).type === 'ObjectPattern' &&
          ((node.id as SyntaxNode).properties as SyntaxNode[]).some((property) => nameOf(property.key) === 'env')
        );
      case 'ImportDeclaration':
        return (
          ['node:process', 'process'].includes(literal(node.source) ?? '') &&
          (node.specifiers as SyntaxNode[]).some((one) => nameOf(one.imported ?? one.local) === 'env')
        );
      default:
        return false;
    }
  });
}

/** The path that a relative import means, `src/a.ts`; null for a package or a Node module. */
export function targetOf(importer: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  return posix.join(posix.dirname(importer), specifier).replace(/\.js$/, '.ts');
}

/** `@scope/name` or `name` of a package import; `node:name` as it is. */
export function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** A cycle in the graph as the list of its files, the first one again at the end; null where there is none. */
export function cycleIn(graph: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): readonly string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of graph.get(file) ?? []) {
      const found = visit(next, [...path, file]);
      if (found) return found;
    }
    done.add(file);
    return null;
  };
  for (const file of graph.keys()) {
    const found = visit(file, []);
    if (found) return found;
  }
  return null;
}

function loads(callee: SyntaxNode): boolean {
  if (callee.type === 'Import' || nameOf(callee) === 'require') return true;
  if (callee.type !== 'MemberExpression' || nameOf(callee.property) !== 'resolve') return false;
  const object = callee.object as SyntaxNode;
  return nameOf(object) === 'require' || object.type === 'MetaProperty';
}

function firstArgument(call: SyntaxNode): string | null {
  const [first] = call.arguments as { expression: SyntaxNode }[];
  return first ? literal(first.expression) : null;
}

function isProcess(node: unknown): boolean {
  return (
    nameOf(node) === 'process' ||
    (isMember(node) && nameOf(node.object) === 'globalThis' && nameOf(node.property) === 'process')
  );
}

function isMember(node: unknown): node is SyntaxNode {
  return typeof node === 'object' && node !== null && 'type' in node && node.type === 'MemberExpression';
}

/** The name that an identifier, a quoted key or a computed `['name']` stands for. */
function nameOf(node: unknown): string | null {
  if (typeof node !== 'object' || node === null || !('type' in node)) return null;
  const { type, value, expression } = node as SyntaxNode;
  if (type === 'Computed') return literal(expression);
  return type === 'Identifier' || type === 'StringLiteral' ? String(value) : null;
}

function literal(node: unknown): string | null {
  const { type, value, quasis } = node as SyntaxNode;
  if (type === 'StringLiteral') return String(value);
  const parts = type === 'TemplateLiteral' ? (quasis as { cooked: string }[]) : [];
  return parts.length === 1 && parts[0] ? parts[0].cooked : null;
}
