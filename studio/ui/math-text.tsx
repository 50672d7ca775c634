import { createContext } from 'preact';
import { useContext, useEffect, useMemo, useRef } from 'preact/hooks';
import { blocksOf } from '../../src/exchange/formats/write/blocks.js';
import { segments } from '../../src/exchange/formats/write/segments.js';
import { Highlighted } from './highlighted.js';
import { PartsRound } from './late-parts.js';
import { textLanguage } from './text-language.js';

/** Longer ones take KaTeX too long to set; they stay text. */
const MAX_LENGTH = 2_000;

/** Called with 1 when a picture or formula below begins to load, and with -1 when it has loaded, failed or gone. */
export const PartsLoading = createContext<(change: 1 | -1) => void>(() => undefined);

interface Shown {
  text: string;
  words?: readonly string[];
  /** No formula and no table on lines of its own. */
  inline?: boolean;
}

/** Text of a card: formulas and Markdown tables are set, all else stays text, the words of the query are marked. */
export function MathText({ text, words = [], inline = false }: Shown) {
  const blocks = useMemo(() => (inline ? [{ kind: 'text', text } as const] : blocksOf(text)), [text, inline]);
  return (
    // For the voice of a screen reader, and the shapes of Chinese characters.
    <span lang={textLanguage(text)} class={inline ? undefined : 'lines'}>
      {blocks.map((block, place) =>
        block.kind === 'text' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
          <Line key={place} text={block.text} words={words} inline={inline} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
          <Table key={place} rows={block.rows} words={words} />
        ),
      )}
    </span>
  );
}

function Line({ text, words = [], inline = false }: Shown) {
  const parts = useMemo(() => segments(text), [text]);
  return (
    <>
      {parts.map((part, place) =>
        part.kind === 'text' || part.tex.length > MAX_LENGTH ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
          <Highlighted key={place} text={part.kind === 'text' ? part.text : part.source} words={words} />
        ) : (
          <Formula
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
            key={place}
            tex={part.tex}
            // Also within a line, where a wide formula would not scroll.
            display={!inline && /^(?:\$\$|\\\[)/.test(part.source)}
            source={part.source}
          />
        ),
      )}
    </>
  );
}

function Table({
  rows: [names = [], ...rows],
  words,
}: {
  rows: readonly (readonly string[])[];
  words: readonly string[];
}) {
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (scroller.current !== null) setTabStop(scroller.current);
  }, []);
  return (
    <div class="table-scroll" ref={scroller}>
      <table class="text-table">
        <thead>
          <tr>
            {names.map((name, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: nor do the cells of a table
              <th key={column} scope="col">
                <Line text={name} words={words} inline />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: nor do the cells of a table
            <tr key={line}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: nor do the cells of a table
                <td key={column} colSpan={column === row.length - 1 ? names.length - column : 1}>
                  <Line text={cell} words={words} inline />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Loaded with the first formula: the page can be used before. */
const loadKatex = () => import('./katex.js');

const unmeasured = new Set<HTMLElement>();

/**
 * What scrolls must be reached by the keyboard; a link or a button around it already is. All are measured at once: the
 * browser lays out the page again for each one that is measured after a formula was set.
 */
function setTabStop(element: HTMLElement): void {
  if (unmeasured.size === 0) requestAnimationFrame(setTabStops);
  unmeasured.add(element);
}

function setTabStops(): void {
  const measured = [...unmeasured].map((element) => ({ element, isWide: element.scrollWidth > element.clientWidth }));
  unmeasured.clear();
  for (const { element, isWide } of measured) {
    if (isWide && element.closest('a, button') === null) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
  }
}

function Formula({ tex, display, source }: { tex: string; display: boolean; source: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const onLoading = useContext(PartsLoading);
  const round = useContext(PartsRound);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` loads KaTeX again
  useEffect(() => {
    const gone = new AbortController();
    onLoading(1);
    gone.signal.addEventListener('abort', () => onLoading(-1));
    const scroller = display ? place.current : place.current?.closest<HTMLElement>('.table-scroll, .card-text');
    const set = async (): Promise<void> => {
      try {
        const { render } = await loadKatex();
        if (gone.signal.aborted || place.current === null) return;
        // Into the DOM: a string of HTML would need inline styles, which the policy of the page refuses.
        render(tex, place.current, {
          displayMode: display,
          throwOnError: true,
          trust: false,
          strict: 'ignore',
          maxSize: 20,
          maxExpand: 200,
        });
      } catch {
        // Not a formula, a hostile one, or KaTeX cannot be loaded: it stays the text that it is.
        if (!gone.signal.aborted && place.current !== null) place.current.textContent = source;
      }
      if (scroller) setTabStop(scroller);
    };
    void set().finally(() => gone.abort());
    return () => {
      gone.abort();
      if (scroller) setTabStop(scroller);
    };
  }, [tex, display, source, onLoading, round]);
  return (
    <span class={display ? 'formula formula-display' : 'formula'} ref={place}>
      {source}
    </span>
  );
}
