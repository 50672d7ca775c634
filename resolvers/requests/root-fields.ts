import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * How often an operation asks each field of its root, with its fragments inlined: `{ a: card(id: 1) { id } b: card(id:
 * 2) { id } }` asks `card` twice. What a directive leaves out counts all the same. For a document that has passed
 * validation and the limits on its size: it looks at every field.
 */
export function rootFieldsOf(document: DocumentNode, operation: OperationDefinitionNode): ReadonlyMap<string, number> {
  const fragments = fragmentsOf(document);
  const counts = new Map<string, number>();
  const count = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        counts.set(selection.name.value, (counts.get(selection.name.value) ?? 0) + 1);
      } else {
        const spread = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
        if (spread !== undefined) count(spread.selectionSet);
      }
    }
  };
  count(operation.selectionSet);
  return counts;
}

/** The fragments of a document, by name. */
export function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  return new Map(definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])));
}
