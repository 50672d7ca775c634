import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * How often an operation asks each field of its root, with its fragments inlined: `{ a: card(id: 1) { id } b: card(id:
 * 2) { id } }` asks `card` twice. What a directive leaves out counts all the same.
 */
export function rootFieldsOf(document: DocumentNode, operation: OperationDefinitionNode): ReadonlyMap<string, number> {
  const known = knownRootFields.get(operation);
  if (known !== undefined) return known;
  const { names } = new Sizes(document).of(operation.selectionSet);
  knownRootFields.set(operation, names);
  return names;
}

/** Several plugins ask for those of each request, and Apollo Server keeps parsed documents. */
const knownRootFields = new WeakMap<OperationDefinitionNode, ReadonlyMap<string, number>>();

export function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  return new Map(definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])));
}

/** Totals of a selection set and everything below it, fragments expanded. Numbers may exceed 2^53. */
export interface Size {
  /** Levels of fields. */
  readonly depth: number;
  readonly fields: number;
  /** Fields that have the response key of one beside them. */
  readonly repetitions: number;
  /** How many aliases there are of each field, by its name. */
  readonly aliases: ReadonlyMap<string, number>;
  /** How often each response key, and each field by its name, stands in the set itself. */
  readonly keys: ReadonlyMap<string, number>;
  readonly names: ReadonlyMap<string, number>;
}

const NOTHING: Size = {
  depth: 0,
  fields: 0,
  repetitions: 0,
  aliases: new Map(),
  keys: new Map(),
  names: new Map(),
};

/** The sizes of a document's selection sets. Each fragment is looked at once, however often it is spread. */
export class Sizes {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #known = new Map<string, Size>();

  constructor(document: DocumentNode) {
    this.#fragments = fragmentsOf(document);
  }

  of({ selections }: SelectionSetNode): Size {
    const parts = selections.map((selection) => this.#ofSelection(selection));
    const keys = sumOf(parts.map((part) => part.keys));
    const sum = (number: (part: Size) => number): number => parts.reduce((total, part) => total + number(part), 0);
    return {
      depth: Math.max(0, ...parts.map(({ depth }) => depth)),
      fields: sum(({ fields }) => fields),
      // What repeats within a fragment is counted with the keys around it.
      repetitions: sum((part) => part.repetitions - repeated(part.keys)) + repeated(keys),
      aliases: sumOf(parts.map(({ aliases }) => aliases)),
      keys,
      names: sumOf(parts.map(({ names }) => names)),
    };
  }

  #ofSelection(selection: SelectionNode): Size {
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.of(selection.selectionSet);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#ofFragment(selection.name.value);
    const { name, alias, selectionSet } = selection;
    const { depth, fields, repetitions, aliases } = selectionSet === undefined ? NOTHING : this.of(selectionSet);
    const own = new Map(alias === undefined ? [] : [[name.value, 1]]);
    return {
      depth: depth + 1,
      fields: fields + 1,
      repetitions,
      aliases: sumOf([aliases, own]),
      keys: new Map([[(alias ?? name).value, 1]]),
      names: new Map([[name.value, 1]]),
    };
  }

  #ofFragment(name: string): Size {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    // Found again while it is looked at: a fragment that spreads itself, which validation refuses like an unknown one.
    this.#known.set(name, NOTHING);
    const size = fragment === undefined ? NOTHING : this.of(fragment.selectionSet);
    this.#known.set(name, size);
    return size;
  }
}

function sumOf(counts: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const some of counts) for (const [key, count] of some) sum.set(key, (sum.get(key) ?? 0) + count);
  return sum;
}

function repeated(keys: ReadonlyMap<string, number>): number {
  return [...keys.values()].reduce((sum, count) => sum + count - 1, 0);
}
