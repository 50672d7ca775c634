import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CardFields } from '../generated/operations.js';
import { AttemptsContext, useAttempts } from '../practice/use-attempts.js';
import { searchAddress } from '../search/address.js';
import { SearchPage } from '../search/search-page.js';
import { useAsked } from '../search/use-asked.js';
import { useKeptFocus } from '../ui/focus.js';
import { PartsRound, useMissingPart } from '../ui/late-parts.js';
import { SelectionContext } from '../ui/selection.js';
import { type MessageKey, useWording } from './i18n.js';
import { useKeptScroll } from './kept-place.js';
import { PAGES } from './pages.js';
import { href, mayLeave, useRoute, useUnloadGuard } from './router.js';
import { useRights, useSession } from './session.js';
import { type Settings, SettingsSwitches } from './settings-switches.js';

/** The frame around every page: where one can go, who one is, language and theme. */
export function Shell(settings: Settings) {
  const { t } = useWording();
  const { viewer, token, signOut } = useSession();
  const rights = useRights();
  const route = useRoute();
  const [open, setOpen] = useState(false);
  const menu = useRef<HTMLButtonElement>(null);
  const [cards, set] = useState<ReadonlyMap<string, CardFields>>(new Map());
  const selection = useMemo(() => ({ cards, set }), [cards]);
  const attempts = useAttempts();
  useUnloadGuard(attempts.waiting > 0);
  useKeptFocus();
  const pages = PAGES.filter(({ isFor }) => isFor(rights));
  const current = pages.find((page) => page.name === route.page);
  const Page = current?.page;
  const name = current?.name ?? 'search';
  const [asked, changeAsked] = useAsked(route, Page === undefined);
  const place = [name, ...route.rest].join('/');
  const title = `${t(`nav.${name}` as MessageKey)} · Errata`;
  // Before a page sets a title of its own.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another card is another place with the same title
  useLayoutEffect(() => {
    document.title = title;
  }, [title, place]);
  // The search keeps its own place, and the list of cards, which scrolls by itself, too.
  useKeptScroll(route, Page !== undefined);
  const placeBefore = useRef(place);
  // Before the browser has a turn, in which something of the new page may be focused or opened.
  useLayoutEffect(() => {
    if (placeBefore.current === place) return;
    placeBefore.current = place;
    setOpen(false);
    // Of the search, which is only hidden: while it is open, nothing of the other page can be clicked or focused.
    document.querySelector<HTMLDialogElement>('#main dialog[open]')?.close();
    document.getElementById('main')?.focus({ preventScroll: true });
  }, [place]);
  const askAndSignOut = (): void => {
    const { waiting } = attempts;
    if (waiting > 0 && !confirm(t('practice.leave', { count: waiting }))) return;
    if (mayLeave()) signOut();
  };
  const closeOnEscape = (event: KeyboardEvent): void => {
    if (!open || event.key !== 'Escape') return;
    setOpen(false);
    menu.current?.focus();
  };
  const who = token === null ? t('viewer.open') : viewer.ownerId;
  const [isPartMissing, partsRound] = useMissingPart();
  const hasGraphiql = document.documentElement.dataset.graphiql !== undefined;
  return (
    <div class={open ? 'shell shell-open' : 'shell'}>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        {t('nav.skip')}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of its links and buttons */}
      <header class="bar" onKeyDown={closeOnEscape}>
        <a class="brand" href={href('search')}>
          <img src={document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href} alt="" width={26} height={26} />
          <span>Errata</span>
        </a>
        <button
          ref={menu}
          type="button"
          class="menu quiet"
          aria-expanded={open}
          aria-controls="nav"
          onClick={() => setOpen(!open)}
        >
          {t('nav.menu')}
        </button>
        <nav id="nav" aria-label={t('nav.label')}>
          {pages
            .filter(({ hidden }) => !hidden)
            .map((page) => (
              <a
                key={page.name}
                href={page.name === 'search' ? searchAddress(asked) : href(page.name)}
                aria-current={page.name === name ? 'page' : undefined}
                onClick={() => setOpen(false)}
              >
                {t(`nav.${page.name}` as MessageKey)}
              </a>
            ))}
          {hasGraphiql && <a href="graphiql">GraphiQL</a>}
          <a href={settings.language === 'en' ? 'docs/studio.md' : 'docs/zh-CN/studio.md'}>{t('nav.help')}</a>
        </nav>
        <div class="bar-end">
          <SettingsSwitches {...settings} />
          <span class="viewer" title={[who, t('viewer.tenant', { tenant: viewer.tenantId })].join(' · ')}>
            <span class="viewer-name">{who}</span> · {t(`role.${viewer.role}`)}
          </span>
          {token !== null && (
            <button type="button" class="quiet" onClick={askAndSignOut}>
              {t('viewer.signOut')}
            </button>
          )}
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {isPartMissing && (
          <div class="notice notice-warning" role="alert">
            <p>{t('page.partMissing')}</p>
            <button type="button" onClick={() => location.reload()}>
              {t('page.reload')}
            </button>
          </div>
        )}
        <PartsRound.Provider value={partsRound}>
          {/* Kept while other pages are open: a search is not lost by looking at a card. */}
          <div hidden={Page !== undefined}>
            <SearchPage asked={asked} shown={Page === undefined} onChange={changeAsked} />
          </div>
          <SelectionContext.Provider value={selection}>
            <AttemptsContext.Provider value={attempts}>
              {Page !== undefined && <Page key={name} route={route} />}
            </AttemptsContext.Provider>
          </SelectionContext.Provider>
        </PartsRound.Provider>
      </main>
    </div>
  );
}
