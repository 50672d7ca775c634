import type { ChangedLabel, Label, LabelChange, LabelKind } from '../labels.js';
import type { CountedPage } from '../page.js';
import type { Viewer } from '../viewer.js';
import type { PageRequest } from './cards.js';

export interface LabelQuery {
  readonly kind: LabelKind;
  /** Of the name or an alias, whatever its spelling; null: all labels. */
  readonly prefix: string | null;
  /** Only the labels directly below this one; null: all. */
  readonly parent: string | null;
  /** Only the labels with one of these names or aliases, whatever the spelling; absent: all. */
  readonly names?: readonly string[];
}

/**
 * The labels of a tenant. Labels are found by their names and aliases, whatever the spelling. A change is one
 * transaction with the revisions and outbox rows of all cards that it changes, and is not for students: that, the
 * caller has checked.
 */
export interface LabelStore {
  /** In the order of their keys: those of the viewer's cards, and those that have aliases or a place in the tree. */
  page(viewer: Viewer, query: LabelQuery, page: PageRequest, signal?: AbortSignal): Promise<CountedPage<Label>>;
  /** The old name becomes an alias. NotFoundError; BadInputError (`from`, `to`). */
  rename(viewer: Viewer, kind: LabelKind, from: string, to: string): Promise<ChangedLabel>;
  /**
   * Names and aliases of the merged labels become aliases, their children those of `into`. NotFoundError;
   * BadInputError.
   */
  merge(viewer: Viewer, kind: LabelKind, from: readonly string[], into: string): Promise<ChangedLabel>;
  /** Creates the label where there is none. BadInputError (`input.parent`, `input.aliases[0]`). */
  set(viewer: Viewer, kind: LabelKind, name: string, change: LabelChange): Promise<ChangedLabel>;
}

/** A label with aliases or a place in the tree. */
export type DescribedLabel = Pick<Label, 'kind' | 'name' | 'aliases' | 'parent'>;

export interface VocabularyStore {
  /** Grows with every change that this process makes. */
  readonly changes: number;
  /** Of a tenant, without row-level security: who may see a card decides what a search finds by it. */
  described(tenantId: string): Promise<readonly DescribedLabel[]>;
}
