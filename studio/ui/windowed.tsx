import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows beyond the edges, so that a quick scroll does not show blanks. */
const OVERSCAN = 8;

/** A list of rows of one height, of which only those in sight are in the document. */
export function Windowed({
  count,
  rowHeight,
  label,
  place,
  row,
  onEnd,
}: {
  count: number;
  rowHeight: number;
  label: string;
  /** Where it is scrolled to; where it begins as soon as it has the rows. */
  place: { top: number };
  row: (place: number) => ComponentChildren;
  /** The last rows come into sight. */
  onEnd?: () => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  const begin = useRef(place.top);
  const [view, setView] = useState({ top: 0, height: 800 });
  const first = Math.max(0, Math.floor(view.top / rowHeight) - OVERSCAN);
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + OVERSCAN);
  const atEnd = last >= count;

  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const look = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const follow = (): void => {
      place.top = element.scrollTop;
      begin.current = 0;
      look();
    };
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    element.addEventListener('scroll', follow, { passive: true });
    return () => {
      watcher.disconnect();
      element.removeEventListener('scroll', follow);
    };
  }, [place]);
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null || begin.current === 0 || count * rowHeight < begin.current + element.clientHeight) return;
    element.scrollTop = begin.current;
  }, [count, rowHeight]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each longer list may have an end to reach again
  useEffect(() => {
    if (atEnd) onEnd?.();
  }, [atEnd, count]);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div role="group" class="windowed" ref={list} aria-label={label} tabIndex={0}>
      <ol class="windowed-all" style={{ height: `${count * rowHeight}px` }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset).map((place) => (
          <li
            key={place}
            aria-setsize={count}
            aria-posinset={place + 1}
            class="windowed-row"
            style={{ top: `${place * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {row(place)}
          </li>
        ))}
      </ol>
    </div>
  );
}
