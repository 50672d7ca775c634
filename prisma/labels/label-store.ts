import { BadInputError, NotFoundError } from '../../src/domain/errors.js';
import {
  type ChangedLabel,
  distinctLabels,
  LABEL_KINDS,
  type Label,
  type LabelChange,
  type LabelKind,
  labelKey,
  MAX_ALIASES,
  MAX_CHILDREN,
} from '../../src/domain/labels.js';
import { type CountedPage, listDigest } from '../../src/domain/page.js';
import type { PageRequest } from '../../src/domain/ports/cards.js';
import type { DescribedLabel, LabelQuery, LabelStore, VocabularyStore } from '../../src/domain/ports/labels.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Database } from '../client.js';
import type { DirtySignal } from '../indexing/dirty.js';
import type { ViewerTransaction } from '../statements.js';
import { rewriteCards } from './label-changes.js';
import { keyOfCursor, pageOf, selectLabels } from './label-rows.js';
import { labelTable, type StoredLabel } from './label-tables.js';
import { lockLabels } from './labels.js';

/** Limit of labels in the vocabulary of searches. */
const MAX_DESCRIBED = 10_000;

export class PostgresLabelStore implements LabelStore, VocabularyStore {
  changes = 0;

  constructor(
    private readonly database: Database,
    private readonly dirty: DirtySignal,
  ) {}

  async page(
    viewer: Viewer,
    query: LabelQuery,
    { first, after }: PageRequest,
    signal?: AbortSignal,
  ): Promise<CountedPage<Label>> {
    const { kind, prefix, parent } = query;
    const list = listDigest(viewer, ['labels', kind, prefix && labelKey(prefix), parent && labelKey(parent)]);
    const wanted = { names: null, id: null, ...query, after: keyOfCursor(after, list), limit: first + 1 };
    return pageOf(list, first, await selectLabels(this.database.as(viewer, signal), viewer, wanted));
  }

  rename(viewer: Viewer, kind: LabelKind, from: string, to: string): Promise<ChangedLabel> {
    return this.#change(viewer, kind, async (tx) => {
      const label = await labelTable(tx, viewer, kind).named(from);
      if (label === null) throw new NotFoundError('label', from, 'name');
      const other = await labelTable(tx, viewer, kind).named(to);
      if (other !== null && other.id !== label.id) {
        throw new BadInputError('to', `${belongsTo(to, other)}: merge the two with mergeLabels`);
      }
      if (label.name === to) return { id: label.id, changedCards: 0 };
      const aliases = [label.name, ...label.aliases];
      await labelTable(tx, viewer, kind).update(label.id, { name: to, aliases: aliasesOf(to, aliases, 'to') });
      const changedCards = await rewriteCards(tx, viewer, { kind, from: [label], into: { ...label, name: to } });
      return { id: label.id, changedCards };
    });
  }

  merge(viewer: Viewer, kind: LabelKind, from: readonly string[], into: string): Promise<ChangedLabel> {
    return this.#change(viewer, kind, async (tx) => {
      const labels = labelTable(tx, viewer, kind);
      const kept = await labels.named(into);
      if (kept === null) throw new NotFoundError('label', into, 'name');
      const gone = new Map<bigint, StoredLabel>();
      for (const [place, name] of from.entries()) {
        const label = await labels.named(name);
        if (label === null) throw new NotFoundError('label', name, 'name');
        if (label.id === kept.id) throw new BadInputError(`from[${place}]`, 'must differ from into');
        gone.set(label.id, label);
      }
      const above = (await labels.ancestors(kept)).find(({ id }) => gone.has(id));
      if (above !== undefined) {
        throw new BadInputError(
          'into',
          `is below ${JSON.stringify(above.name)} in the tree: give it another parent first`,
        );
      }
      const ids = [...gone.keys()];
      const names = [...gone.values()].flatMap(({ name, aliases }) => [name, ...aliases]);
      const changedCards = await rewriteCards(tx, viewer, { kind, from: [...gone.values()], into: kept });
      await labels.moveChildren(ids, kept.id);
      await labels.delete(ids);
      if ((await labels.childCount(kept.id)) > MAX_CHILDREN) throw tooManyChildren('into');
      await labels.update(kept.id, { aliases: aliasesOf(kept.name, [...kept.aliases, ...names], 'from') });
      return { id: kept.id, changedCards };
    });
  }

  set(viewer: Viewer, kind: LabelKind, name: string, { parent, aliases }: LabelChange): Promise<ChangedLabel> {
    return this.#change(viewer, kind, async (tx) => {
      const labels = labelTable(tx, viewer, kind);
      const label = (await labels.named(name)) ?? (await labels.create(name));
      for (const [place, alias] of (aliases ?? []).entries()) {
        const other = await labels.named(alias);
        if (other === null || other.id === label.id) continue;
        throw new BadInputError(
          `input.aliases[${place}]`,
          `${belongsTo(alias, other)}: merge the two with mergeLabels`,
        );
      }
      if (aliases !== undefined) {
        await labels.update(label.id, { aliases: aliasesOf(label.name, aliases, 'input.aliases') });
      }
      if (parent === null) await labels.update(label.id, { parentId: null });
      else if (parent !== undefined) {
        const above = await labels.named(parent);
        if (above === null)
          throw new BadInputError('input.parent', 'there is no such label: create it with setLabel first');
        const isBelow = [above, ...(await labels.ancestors(above))].some(({ id }) => id === label.id);
        if (isBelow) throw new BadInputError('input.parent', 'is the label itself, or below it in the tree');
        await labels.update(label.id, { parentId: above.id });
        if ((await labels.childCount(above.id)) > MAX_CHILDREN) throw tooManyChildren('input.parent');
      }
      return { id: label.id, changedCards: 0 };
    });
  }

  async described(tenantId: string): Promise<readonly DescribedLabel[]> {
    const all = LABEL_KINDS.map((kind) =>
      this.database.run((prisma) => labelTable({ prisma }, { tenantId }, kind).described(MAX_DESCRIBED)),
    );
    return (await Promise.all(all)).flat();
  }

  /**
   * One change at a time in a tenant, so that two cannot create a cycle. Teachers may change labels of all cards, so
   * the transaction runs with the role of an admin of the tenant.
   */
  async #change(
    viewer: Viewer,
    kind: LabelKind,
    work: (tx: ViewerTransaction) => Promise<{ readonly id: bigint; readonly changedCards: number }>,
  ): Promise<ChangedLabel> {
    const changed = await this.database.as({ ...viewer, role: 'admin' }).transaction(async (tx) => {
      await lockLabels(tx, viewer.tenantId);
      return work(tx);
    });
    this.changes += 1;
    if (changed.changedCards > 0) this.dirty.notify();
    const { id } = changed;
    const wanted = { kind, id, prefix: null, parent: null, names: null, after: '', limit: 1 };
    const { labels } = await selectLabels(this.database.as(viewer), viewer, wanted);
    const [label] = labels;
    if (label === undefined) throw new NotFoundError('label', String(id));
    return { label, changedCards: changed.changedCards };
  }
}

function belongsTo(name: string, { name: label }: StoredLabel): string {
  return labelKey(name) === labelKey(label)
    ? `is the name of the label ${JSON.stringify(label)}`
    : `is an alias of the label ${JSON.stringify(label)}`;
}

function tooManyChildren(field: string): BadInputError {
  return new BadInputError(field, `would have more than ${MAX_CHILDREN} labels directly below it`);
}

/** Without the name itself; of equal ones the first. BadInputError. */
function aliasesOf(name: string, aliases: readonly string[], field: string): readonly string[] {
  const [, ...others] = distinctLabels([name, ...aliases]);
  if (others.length > MAX_ALIASES) {
    throw new BadInputError(field, `would give the label more than ${MAX_ALIASES} aliases: remove some with setLabel`);
  }
  return others;
}
