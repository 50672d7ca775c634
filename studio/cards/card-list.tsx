import { useMemo, useState } from 'preact/hooks';
import { useWording } from '../app/i18n.js';
import { goInstead, href, type Route } from '../app/router.js';
import { useRights } from '../app/session.js';
import type { CardFields } from '../generated/operations.js';
import { Drawer } from '../search/drawer.js';
import { FilterPanel } from '../search/filter-panel.js';
import { OwnersNotice } from '../search/owners-notice.js';
import { EmptyNotebook } from '../search/welcome.js';
import { Select } from '../ui/fields.js';
import { CardFacts } from '../ui/labels.js';
import { MathText } from '../ui/math-text.js';
import { Empty, ErrorNotice, Loading } from '../ui/notices.js';
import { questionName } from '../ui/question-name.js';
import { MAX_SELECTED, useSelection } from '../ui/selection.js';
import { Windowed } from '../ui/windowed.js';
import { addressOf, isByPage, type Listing, listingOf, orderOf, SORTS, sorted } from './listing.js';
import { SelectionBar } from './selection-bar.js';
import { useCards } from './use-cards.js';

const ROW_HEIGHT = 74;

/** More rows than a screen has. */
const SCREEN = 30;

/** Where a list was left, in pixels, to go on there after a card was opened. */
export interface ListPlace {
  readonly address: string;
  top: number;
}

export function CardList({ route, place }: { route: Route; place: { current: ListPlace } }) {
  const { t, number } = useWording();
  const rights = useRights();
  const listing = useMemo(() => listingOf(route.params), [route.params]);
  const { filter, sort } = listing;
  const change = (part: Partial<Listing>): void => goInstead(addressOf({ ...listing, ...part }));
  const [filtering, setFiltering] = useState(false);
  const address = addressOf(listing);
  if (place.current.address !== address) place.current = { address, top: 0 };
  const wanted = (): number => (isByPage(sort) ? Number.POSITIVE_INFINITY : place.current.top / ROW_HEIGHT + SCREEN);
  const list = useCards(filter, orderOf(sort), wanted);
  const cards = useMemo(() => sorted(list.cards, sort), [list.cards, sort]);
  const selection = useSelection();
  const isFull = selection.cards.size >= MAX_SELECTED;
  const selectAll = (): void => {
    const all = new Map([...selection.cards, ...cards.map((card) => [card.id, card] as const)]);
    selection.set(new Map([...all].slice(0, MAX_SELECTED)));
  };
  return (
    <div class={filtering ? 'cards-page drawer-filters' : 'cards-page'}>
      <Drawer which="filters" isOpen={filtering} onClose={() => setFiltering(false)}>
        <FilterPanel filter={filter} onChange={(changed) => change({ filter: changed })} />
      </Drawer>
      <section class="cards-main" aria-label={t('nav.cards')}>
        <div class="page-head">
          <h1>{t('nav.cards')}</h1>
          <button type="button" class="only-narrow" aria-expanded={filtering} onClick={() => setFiltering(!filtering)}>
            {t('filter.title')}
          </button>
          <Select
            class="top-k"
            label={t('cards.sort')}
            value={sort}
            values={SORTS}
            nameOf={(one) => t(`sort.${one}`)}
            onChange={(chosen) => change({ sort: chosen })}
          />
          {rights.write && (
            <a class="button primary" href={href('cards', 'new')}>
              {t('cards.new')}
            </a>
          )}
        </div>
        <div class="cards-bar">
          <span class="count" role="status">
            {list.total !== null && t('cards.loaded', { loaded: number(cards.length), total: number(list.total) })}
          </span>
          {cards.length > 0 && (
            <button type="button" class="link" onClick={selectAll}>
              {t('cards.selectAll', { count: number(Math.min(cards.length, MAX_SELECTED)) })}
            </button>
          )}
        </div>
        <OwnersNotice filter={filter} onChange={(changed) => change({ filter: changed })} />
        <ErrorNotice error={list.error} retry={list.retry} />
        {cards.length === 0 && list.loading && <Loading />}
        {cards.length === 0 && !list.loading && list.error === null && (
          <NoCards isFiltered={Object.keys(filter).length > 0} onWiden={() => change({ filter: {} })} />
        )}
        {cards.length > 0 && (
          <Windowed
            label={t('nav.cards')}
            count={cards.length}
            rowHeight={ROW_HEIGHT}
            place={place.current}
            onEnd={list.loadMore}
            row={(at) => {
              const card = cards[at];
              return (
                card && (
                  <Row
                    card={card}
                    selected={selection.cards.has(card.id)}
                    isFull={isFull}
                    onSelect={() => selection.toggle(card)}
                  />
                )
              );
            }}
          />
        )}
        <SelectionBar onDeleted={list.reload} />
      </section>
    </div>
  );
}

function NoCards({ isFiltered, onWiden }: { isFiltered: boolean; onWiden: () => void }) {
  const { t } = useWording();
  if (!isFiltered) return <EmptyNotebook pending={0} />;
  return (
    <Empty title={t('cards.none')} about={t('cards.none.about')}>
      <button type="button" onClick={onWiden}>
        {t('filter.clear')}
      </button>
    </Empty>
  );
}

function Row({
  card,
  selected,
  isFull,
  onSelect,
}: {
  card: CardFields;
  selected: boolean;
  /** No more cards can be selected. */
  isFull: boolean;
  onSelect: () => void;
}) {
  const { t, date } = useWording();
  return (
    <div class={selected ? 'card-row selected' : 'card-row'}>
      <input
        type="checkbox"
        checked={selected}
        disabled={isFull && !selected}
        aria-label={t('cards.select', { question: questionName(card) })}
        onChange={onSelect}
      />
      <a href={href('cards', card.id)} class="card-row-text">
        <MathText text={card.questionText} inline />
      </a>
      <span class="card-row-facts">
        <CardFacts card={card} />
        <span class="card-row-tags">{[...card.topicTags, ...card.errorTypes].join(' · ')}</span>
        <time dateTime={card.occurredAt}>{date(card.occurredAt)}</time>
      </span>
    </div>
  );
}
