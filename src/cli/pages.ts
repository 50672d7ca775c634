export interface Page<T> {
  readonly nodes: readonly T[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** All entries of a list; `read` returns the page after a cursor. */
export async function* entriesOf<T>(read: (after: string | null) => Promise<Page<T>>): AsyncGenerator<T, void> {
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo }: Page<T> = await read(after);
    yield* nodes;
    if (!pageInfo.hasNextPage) return;
    after = pageInfo.endCursor;
  }
}
