import { abortable, inTurns } from '../domain/async.js';
import type { OwnCards } from '../domain/ports/cards.js';
import type { Viewer } from '../domain/viewer.js';
import { type Analyse, LexicalIndex } from '../lexical/lexical-index.js';

/**
 * Cards in all notebooks that are kept at once, of which an empty notebook has the memory of some. Beyond that the notebooks
 * that were asked longest ago are made anew when they are asked again.
 */
const MAX_CARDS = 15_000;
const CARDS_OF_AN_EMPTY_ONE = 30;

/** What notebooks are made from. */
export interface OwnerIndexesParts {
  readonly cards: OwnCards;
  /** As in the index of the whole tenant. */
  readonly analyse: Analyse;
  /** Hears of each notebook that was asked for whether it was kept. */
  readonly onAsked: (kept: boolean) => void;
}

interface Notebook {
  readonly index: LexicalIndex;
  /** The version of each card that is in it. */
  versions: ReadonlyMap<string, string>;
  lastTurn: Promise<unknown>;
}

/**
 * The words and labels of viewers who may see one owner's cards alone, each by themselves: how rare a word is, which labels
 * there are and what their cards have in common is learned from the viewer's own cards, so that no answer tells anything of
 * another's. A notebook is made when it is first asked for, and follows PostgreSQL from then on.
 */
export class OwnerIndexes {
  readonly #parts: OwnerIndexesParts;
  /** The one that was asked for last is the last. */
  readonly #notebooks = new Map<string, Notebook>();

  constructor(parts: OwnerIndexesParts) {
    this.#parts = parts;
  }

  /** The index of the viewer's cards as they are now. What is begun goes on where the signal aborts. */
  of(viewer: Viewer, signal: AbortSignal): Promise<LexicalIndex> {
    const notebook = this.#notebookOf(viewer);
    const turn = notebook.lastTurn.then(() => this.#follow(viewer, notebook));
    notebook.lastTurn = turn.catch(() => undefined);
    return abortable(
      turn.then(() => notebook.index),
      signal,
    );
  }

  #notebookOf({ tenantId, ownerId, role }: Viewer): Notebook {
    const key = JSON.stringify([tenantId, ownerId, role]);
    const known = this.#notebooks.get(key);
    this.#parts.onAsked(known !== undefined);
    const notebook = known ?? {
      index: new LexicalIndex(this.#parts.analyse),
      versions: new Map(),
      lastTurn: Promise.resolve(),
    };
    this.#notebooks.delete(key);
    this.#notebooks.set(key, notebook);
    return notebook;
  }

  async #follow(viewer: Viewer, notebook: Notebook): Promise<void> {
    const versions = await this.#parts.cards.versions(viewer);
    const { index, versions: before } = notebook;
    // By the index itself: a search may have read a card that was created, and is gone again, since the last look.
    const gone = index.cardIds().filter((id) => !versions.has(id));
    const changed = [...versions].flatMap(([id, version]) => (before.get(id) === version ? [] : [id]));
    for (const id of gone) index.delete(id);
    const cards = changed.length === 0 ? [] : [...(await this.#parts.cards.byIds(viewer, changed)).values()];
    await inTurns(cards, (card) => {
      // A card that was created anew may have a revision that an older one had.
      index.delete(card.id);
      index.set(card);
    });
    notebook.versions = versions;
    this.#forgetOldest(notebook);
  }

  #forgetOldest(newest: Notebook): void {
    let kept = [...this.#notebooks.values()].reduce((sum, notebook) => sum + weightOf(notebook), 0);
    for (const [key, notebook] of this.#notebooks) {
      if (kept <= MAX_CARDS) return;
      if (notebook === newest) continue;
      this.#notebooks.delete(key);
      kept -= weightOf(notebook);
    }
  }
}

function weightOf({ versions }: Notebook): number {
  return versions.size + CARDS_OF_AN_EMPTY_ONE;
}
