import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { useRights } from '../app/session.js';
import { SearchProfiles } from '../generated/operations.js';
import { Select } from '../ui/fields.js';
import { wordsOf } from '../ui/highlighted.js';
import { ErrorNotice } from '../ui/notices.js';
import { Tabs } from '../ui/tabs.js';
import { Comparison } from './comparison.js';
import { CopyButtons } from './copy-buttons.js';
import { Drawer, type DrawerName } from './drawer.js';
import { FilterPanel } from './filter-panel.js';
import { Hits } from './hits.js';
import { OwnersNotice } from './owners-notice.js';
import { QueryBox } from './query-box.js';
import { Degraded, Receipt } from './receipt.js';
import { SaveProfile } from './save-profile.js';
import {
  type Asked,
  CLOSEST,
  keptProfile,
  OPERATION_NAMES,
  profileOf,
  RESULT_COUNTS,
  type Tuning,
  variablesOf,
} from './state.js';
import { TuningPanel } from './tuning-panel.js';
import { useSearch } from './use-search.js';
import { Welcome } from './welcome.js';
import { WhyNot } from './why-not.js';

type Opened = 'whyNot' | 'profile' | null;

/** The search studio: what is asked on the left, what was found in the middle, how it was ranked on the right. */
export function SearchPage({
  asked,
  shown,
  onChange: change,
}: {
  asked: Asked;
  shown: boolean;
  onChange: (part: Partial<Asked>) => void;
}) {
  const { t } = useWording();
  const rights = useRights();
  const [tuning, setTuning] = useState<Tuning>({});
  const [pinned, setPinned] = useState<Tuning | null>(null);
  const [opened, setOpened] = useState<Opened>(null);
  const [drawer, setDrawer] = useState<DrawerName | null>(null);
  /** The search whose closest cards are shown although none is close: with another filter or setting some may be. */
  const [closestTo, setClosestTo] = useState<string | null>(null);
  const question = JSON.stringify([asked.text, asked.operation, asked.filter, tuning]);
  const isClosest = asked.cardId === null && question === closestTo;
  const ranking = isClosest ? { ...tuning, ...CLOSEST } : tuning;
  const search = useSearch(asked, ranking);
  const profiles = useQuery(SearchProfiles, {});
  const { data: found } = search;
  const all = profiles.data?.searchProfiles ?? [];
  const names = all.map(({ name }) => name);
  const base = all.find(({ name }) => name === profileOf(tuning, found?.receipt))?.settings;
  // Learned, or saved by somebody, since the profiles were asked for.
  const used = found?.receipt.profile ?? null;
  const isNewProfile = profiles.data !== null && used !== null && !names.includes(used);
  useEffect(() => {
    if (isNewProfile) profiles.reload();
  }, [isNewProfile, profiles.reload]);
  const variables = variablesOf(asked, ranking);
  const isWaiting = variables !== null && found === null && search.error === null;
  const marked = useMemo(() => found?.receipt.inferredConcepts ?? [], [found]);
  const words = useMemo(() => wordsOf(asked.text), [asked.text]);

  // Other pages may have changed, deleted or imported cards.
  const wasShown = useRef(shown);
  useEffect(() => {
    if (shown && !wasShown.current) search.reload();
    wasShown.current = shown;
  }, [shown, search.reload]);
  // The browser restores it while the other page, which may be shorter, is still there.
  const top = useRef(0);
  useLayoutEffect(() => {
    if (!shown) return;
    scrollTo({ top: top.current });
    const follow = (): void => {
      top.current = scrollY;
    };
    addEventListener('scroll', follow);
    return () => removeEventListener('scroll', follow);
  }, [shown]);

  const toggle = (one: DrawerName): void => setDrawer(drawer === one ? null : one);
  return (
    <div class={`search-page${drawer === null ? '' : ` drawer-${drawer}`}`}>
      <h1 class="sr-only">{t('nav.search')}</h1>
      <Drawer which="filters" isOpen={drawer === 'filters'} onClose={() => setDrawer(null)}>
        {shown && <FilterPanel filter={asked.filter} onChange={(filter) => change({ filter })} />}
      </Drawer>
      <section class="found" aria-label={t('search.found')} aria-busy={search.loading}>
        <QueryBox asked={asked} shown={shown} onChange={change} />
        <div class="found-bar">
          <Tabs
            label={t('search.operations')}
            values={OPERATION_NAMES.map((value) => ({
              value,
              name: t(`operation.${value}`),
              about: t(`operation.${value}.about`),
            }))}
            value={asked.operation}
            onChange={(operation) => change({ operation })}
          />
          <Select
            class="top-k"
            label={t('search.topK')}
            value={asked.topK}
            values={RESULT_COUNTS}
            onChange={(topK) => change({ topK })}
          />
        </div>
        <div class="drawer-buttons">
          {(['filters', 'ranking'] as const).map((one) => (
            <button key={one} type="button" aria-expanded={drawer === one} onClick={() => toggle(one)}>
              {t(one === 'filters' ? 'filter.title' : 'tuning.title')}
            </button>
          ))}
        </div>
        <OwnersNotice filter={asked.filter} onChange={(filter) => change({ filter })} />
        <ErrorNotice error={search.error} retry={search.reload} />
        {/* Always there: readers announce what changes in it, not that it appears. */}
        <p class={isWaiting ? 'loading' : 'sr-only'} role="status">
          {isWaiting
            ? t('state.loading')
            : variables !== null &&
              found !== null &&
              (found.hits.length === 0 ? t('empty.hits') : t('search.count', { count: found.hits.length }))}
        </p>
        {variables === null
          ? shown && <Welcome onTry={(one) => change({ cardId: null, ...one })} />
          : found !== null && (
              <>
                <Degraded receipt={found.receipt} />
                {pinned !== null ? (
                  <Comparison
                    asked={asked}
                    pinned={pinned}
                    found={found}
                    words={words}
                    onSwap={() => {
                      setTuning(pinned);
                      setPinned(tuning);
                    }}
                    onEnd={() => setPinned(null)}
                  />
                ) : (
                  <Hits
                    found={found}
                    asked={asked}
                    words={words}
                    marked={marked}
                    isClosest={isClosest}
                    onClosest={() => setClosestTo(question)}
                    onWiden={() => change({ filter: {} })}
                  />
                )}
              </>
            )}
      </section>
      <Drawer which="ranking" isOpen={drawer === 'ranking'} onClose={() => setDrawer(null)}>
        <TuningPanel
          tuning={tuning}
          base={base}
          operation={asked.operation}
          names={names}
          onChange={(changed) => setTuning(keptProfile(changed, found?.receipt))}
        />
        <div class="actions tuning-actions">
          <button
            type="button"
            aria-pressed={pinned !== null}
            onClick={() => setPinned(pinned === null ? tuning : null)}
          >
            {t('compare.pin')}
          </button>
          {rights.staff && rights.write && (
            <button type="button" disabled={base === undefined} onClick={() => setOpened('profile')}>
              {t('profile.save')}
            </button>
          )}
        </div>
        {found !== null && variables !== null && (
          <>
            <Receipt receipt={found.receipt} />
            <div class="actions tuning-actions">
              <button type="button" onClick={() => setOpened('whyNot')}>
                {t('whyNot.open')}
              </button>
              <CopyButtons operation={asked.operation} variables={variables} />
            </div>
          </>
        )}
      </Drawer>
      {opened === 'whyNot' && found !== null && (
        <WhyNot asked={asked} tuning={ranking} found={found} onClose={() => setOpened(null)} />
      )}
      {opened === 'profile' && base !== undefined && (
        <SaveProfile
          tuning={tuning}
          base={base}
          names={names}
          onClose={() => setOpened(null)}
          onSaved={(name) => {
            profiles.reload();
            setTuning({ profile: name });
            setOpened(null);
          }}
        />
      )}
    </div>
  );
}
