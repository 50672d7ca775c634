import { filterFacts, listCursor, listDigest, type Page, type Place, placeInList } from '../../src/domain/page.js';
import { instant } from '../../src/domain/parse/scalars.js';
import type { PageRequest } from '../../src/domain/ports/cards.js';
import type { AttemptList, AttemptPages, LoggedAttempt } from '../../src/domain/ports/practice.js';
import type { Viewer } from '../../src/domain/viewer.js';
import type { Database } from '../client.js';
import { visibleTo } from '../viewer-conditions.js';
import { LOGGED } from './attempts.js';

const COLUMNS = { ...LOGGED, ownerId: true, answer: true } as const satisfies Record<keyof LoggedAttempt, true>;

export class PostgresAttemptPages implements AttemptPages {
  constructor(private readonly database: Database) {}

  async page(
    viewer: Viewer,
    wanted: AttemptList,
    { first, after }: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page<LoggedAttempt>> {
    const { ownerId, cardId, from, to } = wanted;
    const list = listDigest(viewer, ['attempts', filterFacts({ ownerId, cardId, from, to })]);
    const chosen = { ownerId, ...(cardId && { cardId }), at: { ...(from && { gte: from }), ...(to && { lt: to }) } };
    const rows = await this.database.as(viewer, signal).transaction(({ prisma }) =>
      prisma.attempt.findMany({
        where: { AND: [visibleTo(viewer), chosen, after === null ? {} : isAfter(placeInList(after, isPlace, list))] },
        select: COLUMNS,
        orderBy: [{ at: 'desc' }, { key: 'desc' }],
        take: first + 1,
      }),
    );
    const edges = rows
      .slice(0, first)
      .map((node) => ({ cursor: listCursor([node.at.getTime(), node.key], list), node }));
    return { edges, hasNextPage: rows.length > first };
  }
}

type AttemptPlace = readonly [at: number, key: string];

function isPlace(values: Place): values is AttemptPlace {
  const [at, key] = values;
  const isTime = typeof at === 'number' && instant.safeParse(new Date(at)).success;
  return values.length === 2 && isTime && typeof key === 'string';
}

/** By time, then by key, the latest first. */
function isAfter([at, key]: AttemptPlace) {
  const time = new Date(at);
  return { OR: [{ at: { lt: time } }, { at: time, key: { lt: key } }] };
}
