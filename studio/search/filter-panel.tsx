import { useRef, useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { type MessageKey, useWording } from '../app/i18n.js';
import { useRights } from '../app/session.js';
import { type CardFilter, Facets, type FacetsResult } from '../generated/operations.js';
import { DIFFICULTIES, QUALITY } from '../ui/card-values.js';
import { Check, Choice } from '../ui/fields.js';
import { ErrorNotice, Loading } from '../ui/notices.js';
import { IDS, TagInput } from '../ui/tag-input.js';
import { textLanguage } from '../ui/text-language.js';
import { SHOWN, shownValues } from './facet-values.js';
import { withField } from './state.js';

type Facet = keyof FacetsResult['facets'];

/** The facets that become lists of values, with the field of the filter that each restricts. */
const LISTS = [
  { facet: 'subject', distinct: 'distinctSubjects', field: 'subjects', name: 'field.subject' },
  { facet: 'grade', distinct: 'distinctGrades', field: 'grades', name: 'field.grade' },
  { facet: 'topicTag', distinct: 'distinctTopicTags', field: 'topicTags', name: 'field.topicTags' },
  { facet: 'errorType', distinct: 'distinctErrorTypes', field: 'errorTypes', name: 'field.errorTypes' },
] as const satisfies readonly { facet: Facet; distinct: Facet; field: keyof CardFilter; name: MessageKey }[];

type ListField = (typeof LISTS)[number]['field'];

/**
 * Filters with the number of cards that each value would leave; the list that is chosen from keeps its other values.
 */
export function FilterPanel({ filter, onChange }: { filter: CardFilter; onChange: (filter: CardFilter) => void }) {
  const { t, number } = useWording();
  const { staff } = useRights();
  const all = useQuery(Facets, { filter }, { debounceMs: 80 });
  const { data, error, loading, reload } = all;
  const others = {
    subjects: useOthers(filter, 'subjects'),
    grades: useOthers(filter, 'grades'),
    topicTags: useOthers(filter, 'topicTags'),
    errorTypes: useOthers(filter, 'errorTypes'),
  };
  /** All at once, with the other values of chosen lists: a list that comes late would move what is below it. */
  const isShown = useRef(false);
  isShown.current ||= [all, ...Object.values(others)].every((query) => !query.loading);
  const chosen = Object.keys(filter).length > 0;
  return (
    <form class="filters" aria-label={t('filter.title')} onSubmit={(event) => event.preventDefault()}>
      <div class="panel-head">
        <h2>{t('filter.title')}</h2>
        {data !== null && <span class="count">{t('filter.total', { count: number(data.facets.total) })}</span>}
        {chosen && (
          <button type="button" class="link" onClick={() => onChange({})}>
            {t('filter.clear')}
          </button>
        )}
      </div>
      <ErrorNotice error={error} retry={reload} />
      {!isShown.current ? (
        <Loading />
      ) : (
        <>
          {LISTS.map((list) => (
            <FacetList
              key={list.facet}
              {...list}
              all={data}
              others={others[list.field].data}
              isCurrent={!loading}
              chosen={filter[list.field] ?? []}
              onChange={(values) => onChange(withField(filter, list.field, values))}
            />
          ))}
          <Difficulty filter={filter} counts={data} onChange={onChange} />
          <fieldset>
            <legend>{t('field.qualityGrade')}</legend>
            {QUALITY.map((grade) => {
              const grades = filter.qualityGrades ?? [];
              return (
                <Check
                  key={grade}
                  label={t(`quality.${grade}`)}
                  checked={grades.includes(grade)}
                  onChange={() => onChange(withField(filter, 'qualityGrades', toggled(grades, grade)))}
                />
              );
            })}
          </fieldset>
          {staff && (
            <TagInput
              label={t('group.students')}
              division={IDS}
              values={filter.owners ?? []}
              onChange={(owners) => onChange(withField(filter, 'owners', owners))}
            />
          )}
        </>
      )}
    </form>
  );
}

/** The counts without what is chosen of a list; nothing if nothing is. */
function useOthers(filter: CardFilter, field: ListField) {
  return useQuery(Facets, (filter[field] ?? []).length === 0 ? null : { filter: withField(filter, field, null) });
}

function FacetList({
  facet,
  distinct,
  name,
  all,
  others,
  isCurrent,
  chosen,
  onChange,
}: (typeof LISTS)[number] & {
  all: FacetsResult | null;
  others: FacetsResult | null;
  /** Whether `all` is of this filter, and not of the one before. */
  isCurrent: boolean;
  chosen: readonly string[];
  onChange: (values: readonly string[]) => void;
}) {
  const { t, number, named } = useWording();
  const [words, setWords] = useState('');
  const fresh = chosen.length > 0 ? others : isCurrent ? all : null;
  // The last counts stay until new ones have come: those of a filter by values of this list lack its other values.
  const last = useRef<FacetsResult | null>(null);
  last.current = fresh ?? last.current ?? all;
  const nameOf = (value: string): string => named(facet, value);
  const list = last.current?.facets[facet] ?? [];
  const size = last.current?.facets[distinct] ?? 0;
  const sought = words.trim().toLowerCase();
  const matches = (value: string): boolean =>
    [value, nameOf(value)].some((text) => text.toLowerCase().includes(sought));
  const kept = useRef(new Set<string>());
  for (const value of chosen) kept.current.add(value);
  const shown = shownValues(list, chosen, kept.current, matches);
  const isPartial = size > list.length;
  const isListed = list.some(({ value }) => isSame(value, words));
  /** Of a chosen value that is too rare for the list: with it as filter, it is in the list. */
  const rareCount = (value: string): number => all?.facets[facet].find((one) => isSame(one.value, value))?.count ?? 0;
  if (shown.length === 0 && words === '') return null;
  return (
    <fieldset>
      <legend>{t(name)}</legend>
      {(list.length > SHOWN || words !== '') && (
        <input
          type="search"
          aria-label={t('filter.find', { count: number(list.length) })}
          placeholder={t('filter.find', { count: number(list.length) })}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      )}
      {isPartial && <p class="detail">{t('filter.most', { shown: number(list.length), count: number(size) })}</p>}
      {shown.map(({ value, count }) => (
        <label key={value} class="check">
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => onChange(toggled(chosen, value))} />
          <span lang={textLanguage(nameOf(value))}>{nameOf(value)}</span>
          <span class="count">{number(count || rareCount(value))}</span>
        </label>
      ))}
      {isPartial && sought !== '' && !isListed && (
        <button
          type="button"
          class="link"
          onClick={() => {
            onChange([...new Set([...chosen, words.trim()])]);
            setWords('');
          }}
        >
          {t('filter.exact', { value: words.trim() })}
        </button>
      )}
    </fieldset>
  );
}

function Difficulty({
  filter,
  counts,
  onChange,
}: {
  filter: CardFilter;
  counts: FacetsResult | null;
  onChange: (filter: CardFilter) => void;
}) {
  const { t } = useWording();
  const low = filter.difficultyMin ?? 1;
  const high = filter.difficultyMax ?? 5;
  const most = Math.max(1, ...(counts?.facets.difficulty ?? []).map(({ count }) => count));
  const set = (from: number, to: number): void =>
    onChange(
      withField(withField(filter, 'difficultyMin', from === 1 ? null : from), 'difficultyMax', to === 5 ? null : to),
    );
  return (
    <fieldset>
      <legend>{t('field.difficulty')}</legend>
      <div class="histogram" aria-hidden="true">
        {DIFFICULTIES.map((level) => {
          const count = counts?.facets.difficulty.find(({ value }) => value === String(level))?.count ?? 0;
          return (
            <span
              key={level}
              class={level >= low && level <= high ? 'in' : ''}
              style={{ height: `${(count / most) * 100}%` }}
            />
          );
        })}
      </div>
      <div class="range">
        {(['filter.from', 'filter.to'] as const).map((key) => (
          <label key={key}>
            {t(key)}{' '}
            <Choice
              value={key === 'filter.from' ? low : high}
              values={DIFFICULTIES}
              onChange={(level) => {
                if (key === 'filter.from') set(level, Math.max(level, high));
                else set(Math.min(low, level), level);
              }}
            />
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Labels have one spelling, whatever the case of what is typed. */
function isSame(value: string, typed: string): boolean {
  return value.toLowerCase() === typed.trim().toLowerCase();
}

function toggled<Value>(values: readonly Value[], value: Value): readonly Value[] {
  return values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
}
