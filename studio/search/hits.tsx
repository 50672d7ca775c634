import { useEffect, useRef } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { type FoundFields, Notebook } from '../generated/operations.js';
import { Empty } from '../ui/notices.js';
import { searchAddress } from './address.js';
import { Hit, type Moves, movesSince } from './hit.js';
import { LaneLegend } from './lane-bar.js';
import type { Asked } from './state.js';
import { EmptyNotebook } from './welcome.js';

interface HitsProps {
  readonly found: FoundFields;
  readonly asked: Asked;
  readonly words: readonly string[];
  readonly marked: readonly string[];
  /** They are shown although none of them is close. */
  readonly isClosest: boolean;
  readonly onClosest: () => void;
  readonly onWiden: () => void;
}

/** The list, with what became of it since the same question was asked with other settings. */
export function Hits(props: HitsProps) {
  const { found, asked, words, marked, isClosest } = props;
  const { t } = useWording();
  const moves = useMoves(found, JSON.stringify(asked));
  if (found.hits.length === 0) return <NoHits {...props} />;
  return (
    <>
      <h2 class="sr-only">{t('search.found')}</h2>
      {isClosest && <p class="notice notice-warning">{t('closest.about')}</p>}
      <LaneLegend />
      <ol class="hits">
        {found.hits.map((hit, place) => (
          <Hit
            key={hit.card.id}
            hit={hit}
            coversLabel={found.receipt.coversLabels && found.hits.slice(place).some(({ score }) => score > hit.score)}
            words={words}
            marked={marked}
            moved={isClosest ? undefined : moves?.get(hit.card.id)}
            searchFrom={searchAddress({ ...asked, cardId: hit.card.id })}
          />
        ))}
      </ol>
    </>
  );
}

function NoHits({ found, asked, onClosest, onWiden }: HitsProps) {
  const { t, number } = useWording();
  const { data, error, reload } = useQuery(Notebook, {});
  // The page stays while it is hidden, and searches again when it is shown: there may be cards since.
  const askedFor = useRef(found);
  useEffect(() => {
    if (askedFor.current !== found) reload();
    askedFor.current = found;
  }, [found, reload]);
  if (data === null && error === null) return null;
  const pending = data?.indexStatus.pending ?? 0;
  if (data?.facets.total === 0) return <EmptyNotebook pending={pending} />;
  const filtered = Object.keys(asked.filter).length > 0;
  const { nothingClose } = found.receipt;
  return (
    <Empty
      title={t('empty.hits')}
      about={t(filtered ? 'empty.hits.filtered' : nothingClose ? 'empty.hits.nothingClose' : 'empty.hits.threshold')}
    >
      {pending > 0 && <p>{t('health.pending', { count: number(pending) })}</p>}
      {filtered && (
        <button type="button" onClick={onWiden}>
          {t('filter.clear')}
        </button>
      )}
      {nothingClose && (
        <button type="button" onClick={onClosest}>
          {t('closest.show')}
        </button>
      )}
    </Empty>
  );
}

/** How far each hit moved when only the ranking changed; undefined for a new question. */
function useMoves(found: FoundFields, question: string): Moves | undefined {
  const last = useRef<{ question: string; found: FoundFields; moves: Moves | undefined } | null>(null);
  const before = last.current;
  let moves = before?.found === found ? before.moves : undefined;
  if (before !== null && before.found !== found && before.question === question) {
    moves = movesSince(before.found.hits, found.hits);
  }
  useEffect(() => {
    // While the next answer is awaited, `found` is that of the question before.
    if (last.current?.found !== found) last.current = { question, found, moves };
  });
  return moves;
}
