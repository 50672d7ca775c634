import { type Card, perspectiveTexts } from '../../../src/domain/card.js';
import { passagesOf } from '../../../src/domain/passages.js';
import { byPerspective, PERSPECTIVES } from '../../../src/domain/perspective.js';
import { recordId } from '../../../src/domain/ports/collections.js';
import { requestOf } from '../../support/generators.js';
import type { World } from './world.js';

/** Records of a collection read at a time. */
const PAGE = 500;

/** What the index must hold of a card: the same that one built anew would. */
type Content = ReadonlyMap<string, { readonly contentHash: string; readonly revision: number }>;

/**
 * What must be true once everything that is due is indexed, whatever happened before. Answers what is wrong, in words;
 * nothing where all is well:
 * - every card that was acknowledged is there, and those that were deleted are not;
 * - the collections hold exactly the records that an index built anew from the cards would: none missing, stale, left
 *   over or twice, each with the vector that its text has;
 * - every card is found by its own text in each perspective that it has one for, and no other card is.
 */
export async function verdictOf(
  world: World,
  acknowledged: { readonly live: ReadonlySet<string>; readonly deleted: ReadonlySet<string> },
): Promise<readonly string[]> {
  const { ledger, viewer } = world;
  const problems: string[] = [];
  const versions = await ledger.versions(viewer.tenantId);
  for (const id of acknowledged.live) if (!versions.has(id)) problems.push(`card ${id} is lost`);
  for (const id of acknowledged.deleted) if (versions.has(id)) problems.push(`card ${id} came back`);
  const cards = await ledger.cards(viewer.tenantId, [...versions.keys()]);
  const live = await ledger.live(viewer.tenantId);
  if (live === null) return versions.size === 0 ? problems : [...problems, 'there is no live index'];
  problems.push(...(await problemsOfRecords(world, live.number, cards)));
  problems.push(...(await problemsOfSearch(world, cards, acknowledged.deleted)));
  return problems;
}

async function problemsOfRecords(
  { vectorStore, embedder, viewer }: World,
  generation: number,
  cards: ReadonlyMap<string, Card>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const signal = new AbortController().signal;
  for (const perspective of PERSPECTIVES) {
    const key = { tenantId: viewer.tenantId, generation, perspective };
    const texts = new Map<string, string>();
    const wanted = new Map<string, { contentHash: string; revision: number }>();
    for (const card of cards.values()) {
      passagesOf(card, embedder)[perspective].forEach(({ text, contentHash }, passage) => {
        wanted.set(recordId(card.id, passage), { contentHash, revision: card.revision });
        texts.set(recordId(card.id, passage), text);
      });
    }
    const ids: string[] = [];
    for (let offset = 0; ; offset += PAGE) {
      const page = await vectorStore.list(key, offset, PAGE);
      ids.push(...page);
      if (page.length < PAGE) break;
    }
    if (new Set(ids).size !== ids.length) problems.push(`${perspective}: a record is there twice`);
    problems.push(...differences(perspective, wanted, await vectorStore.labels(key, ids)));
    const stored = await vectorStore.read(key, [...wanted.keys()], signal);
    const fresh = await embedder.embed([...texts.values()], 'passage', perspective, signal);
    [...texts.keys()].forEach((id, place) => {
      const vector = stored.get(id)?.vector;
      const expected = fresh[place];
      if (vector === undefined || expected === undefined) return;
      const likeness = vector.reduce((sum, value, at) => sum + value * (expected[at] ?? 0), 0);
      if (likeness < 0.999) problems.push(`${perspective}: the vector of ${id} is of another text`);
    });
  }
  return problems;
}

function differences(perspective: string, wanted: Content, held: Content): readonly string[] {
  const missing = [...wanted.keys()].filter((id) => !held.has(id)).map((id) => `${perspective}: ${id} is missing`);
  const orphans = [...held.keys()].filter((id) => !wanted.has(id)).map((id) => `${perspective}: ${id} is an orphan`);
  const stale = [...wanted].flatMap(([id, { contentHash, revision }]) => {
    const is = held.get(id);
    return is === undefined || (is.contentHash === contentHash && is.revision === revision)
      ? []
      : [`${perspective}: ${id} is stale`];
  });
  return [...missing, ...orphans, ...stale];
}

/** By the vectors alone, so that Chroma has to find them. No two cards may share a text. */
async function problemsOfSearch(
  { engine, viewer }: World,
  cards: ReadonlyMap<string, Card>,
  deleted: ReadonlySet<string>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const signal = new AbortController().signal;
  for (const card of cards.values()) {
    const texts = perspectiveTexts(card);
    for (const perspective of PERSPECTIVES) {
      const [text] = texts[perspective];
      if (text === undefined) continue;
      const request = requestOf({
        subject: { kind: 'text', text },
        weights: byPerspective((one) => (one === perspective ? 1 : 0)),
        thresholdSteps: [0.5],
      });
      let answer = await engine.search(viewer, request, signal);
      // A busy machine may miss the deadline of a lane, but not each time.
      for (let again = 0; again < 3 && answer.receipt.degraded.length > 0; again += 1) {
        answer = await engine.search(viewer, request, signal);
      }
      const { hits, receipt } = answer;
      const ids = hits.map(({ card: hit }) => hit.id);
      if (receipt.degraded.length > 0) problems.push(`a search by ${perspective} is degraded`);
      if (!ids.includes(card.id)) problems.push(`${card.id} is not found by its ${perspective}`);
      if (new Set(ids).size !== ids.length) problems.push(`a search by ${perspective} has a card twice`);
      problems.push(...ids.filter((id) => deleted.has(id)).map((id) => `${id} is found after it was deleted`));
    }
  }
  return problems;
}
