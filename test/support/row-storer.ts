import type { ImportOptions } from '../../src/domain/import.js';
import type { Folded, ImportStore, JobStep } from '../../src/domain/ports/imports.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { CardRow } from '../../src/exchange/formats/rows.js';
import { type FoldableRow, RowFolder } from '../../src/exchange/import/fold-rows.js';

/** Stores the rows of one import chunk by chunk, as an import does that reads them by itself. */
export class RowStorer {
  readonly #folder: RowFolder;

  constructor(
    private readonly parts: {
      readonly imports: Pick<ImportStore, 'fold'>;
      readonly viewer: Viewer;
      readonly options: ImportOptions;
      readonly scope: string;
    },
  ) {
    const { viewer: owner, options, scope } = parts;
    this.#folder = new RowFolder({ owner, onDuplicate: options.onDuplicate, scope });
  }

  prepare(row: CardRow): FoldableRow {
    return this.#folder.prepare(row);
  }

  async store(rows: readonly FoldableRow[], step: JobStep | null): Promise<Folded | null> {
    const { imports, viewer, options } = this.parts;
    const folder = this.#folder;
    const folded = await imports.fold(viewer, folder.wantedBy(rows), (view) => folder.fold(rows, view), {
      step,
      dryRun: options.dryRun,
    });
    folder.remember(rows);
    return folded;
  }
}
