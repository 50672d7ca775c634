import DataLoader from 'dataloader';
import { asError } from '../../src/domain/errors.js';
import type { GoldenCase } from '../../src/domain/golden.js';
import { groupedBy } from '../../src/domain/grouped.js';
import type { Page } from '../../src/domain/page.js';
import type { PageRequest } from '../../src/domain/ports/cards.js';
import type { GoldenStore } from '../../src/domain/ports/evaluation.js';
import { type Context, perRequest } from '../context.js';

interface WantedPage {
  readonly name: string;
  readonly page: PageRequest;
}

/** Pages of the cases of golden sets; the same page of many sets in one request is read at once. */
export class GoldenCasePages {
  /** Without a cache: a mutation may change a set between two of its fields. */
  readonly #loaderOf = perRequest(
    (context) =>
      new DataLoader<WantedPage, Page<GoldenCase>>((wanted) => this.#read(context, wanted), { cache: false }),
  );

  constructor(private readonly golden: Pick<GoldenStore, 'cases'>) {}

  load(context: Context, name: string, page: PageRequest): Promise<Page<GoldenCase>> {
    return this.#loaderOf(context).load({ name, page });
  }

  async #read({ viewer }: Context, wanted: readonly WantedPage[]): Promise<readonly (Page<GoldenCase> | Error)[]> {
    const keyOf = ({ page }: WantedPage): string => JSON.stringify([page.first, page.after]);
    const read = new Map(
      await Promise.all(
        [...groupedBy(wanted, keyOf)].map(async ([key, group]) => {
          const names = [...new Set(group.map(({ name }) => name))];
          return [key, await this.golden.cases(viewer, names, group[0].page).catch(asError)] as const;
        }),
      ),
    );
    return wanted.map((one) => {
      const pages = read.get(keyOf(one));
      return pages instanceof Error ? pages : (pages?.get(one.name) ?? { edges: [], hasNextPage: false });
    });
  }
}
