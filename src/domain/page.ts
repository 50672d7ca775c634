/** An entry of a list, and its position there. */
export interface Edge<T> {
  readonly cursor: string;
  readonly node: T;
}

export interface Page<T> {
  readonly edges: readonly Edge<T>[];
  readonly hasNextPage: boolean;
}

export interface CountedPage<T> extends Page<T> {
  /** On all pages. */
  readonly totalCount: number;
}
