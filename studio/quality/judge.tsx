import { useMemo, useRef, useState } from 'preact/hooks';
import { useWording } from '../app/i18n.js';
import type { HitFields, SearchOperation } from '../generated/operations.js';
import { NOTHING_ASKED, OPERATION_NAMES } from '../search/state.js';
import { useSearch } from '../search/use-search.js';
import { Check, Select, TextInput } from '../ui/fields.js';
import { Tags, VerdictBadge } from '../ui/labels.js';
import { MathText } from '../ui/math-text.js';
import { Empty, ErrorNotice } from '../ui/notices.js';
import { questionName } from '../ui/question-name.js';
import { useKeys } from '../ui/use-keys.js';
import { RELEVANCES, useJudging } from './use-judging.js';

/** An order that says nothing about the ranking, the same for the same cards. */
const shuffled = (hits: readonly HitFields[]): readonly HitFields[] =>
  [...hits].sort((a, b) => hash(a.card.id) - hash(b.card.id));

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const sign of text) value = Math.imul(value ^ (sign.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}

/** Hits one below the other, judged by the keys 0 to 3; U takes the last one back. */
export function Judge() {
  const { t } = useWording();
  const [text, setText] = useState('');
  const [operation, setOperation] = useState<SearchOperation>('byError');
  const [set, setSet] = useState('judged');
  const [blind, setBlind] = useState(false);
  const [current, setCurrent] = useState(0);
  /** As `current`, at once: the next key may come before the page is rendered. */
  const at = useRef(0);
  const list = useRef<HTMLOListElement>(null);
  const query = { operation, text: text.trim() };
  const search = useSearch({ ...NOTHING_ASKED, ...query, topK: 20 }, {});
  /** Whether the hits are those of `query`. */
  const ready = !search.loading && search.error === null;
  const judging = useJudging(query, set);
  const hits = useMemo(() => {
    const found = search.data?.hits ?? [];
    return blind ? shuffled(found) : found;
  }, [search.data, blind]);
  const restart = (): void => {
    judging.forget();
    at.current = 0;
    setCurrent(0);
  };
  const go = (place: number): void => {
    const next = Math.max(0, Math.min(hits.length - 1, place));
    at.current = next;
    setCurrent(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  const judge = (place: number, grade: number): void => {
    const hit = hits[place];
    const relevance = RELEVANCES[grade];
    if (!ready || hit === undefined || relevance === undefined) return;
    judging.judge(hit.card.id, relevance);
    go(place + 1);
  };
  useKeys(
    (key) => {
      if (/^[0-3]$/.test(key)) judge(at.current, Number(key));
      else if (key === 'u' || key === 'ctrl+z') judging.undo();
      else if (key === 'j') go(at.current + 1);
      else if (key === 'k') go(at.current - 1);
    },
    ['j', 'k'],
  );
  return (
    <section class="judge" aria-label={t('quality.part.judge')}>
      <div class="judge-query">
        <TextInput
          label={t('search.query')}
          type="search"
          value={text}
          placeholder={t('example.byError')}
          onInput={(typed) => {
            setText(typed);
            restart();
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.isComposing) event.currentTarget.blur();
          }}
        />
        <Select
          label={t('search.operations')}
          value={operation}
          values={OPERATION_NAMES}
          nameOf={(name) => t(`operation.${name}`)}
          onChange={(name) => {
            setOperation(name);
            restart();
          }}
        />
        <TextInput
          label={t('judge.set')}
          value={set}
          maxLength={100}
          onInput={(typed) => {
            setSet(typed);
            restart();
          }}
        />
        <Check label={t('judge.blind')} checked={blind} onChange={setBlind} />
      </div>
      <p class="actions judge-keys">
        {RELEVANCES.map((relevance, grade) => (
          <span key={relevance}>
            <kbd>{grade}</kbd> {t(`relevance.${relevance}`)}
          </span>
        ))}
        <button type="button" aria-disabled={judging.judgements.size === 0} onClick={() => judging.undo()}>
          <kbd>U</kbd> {t('judge.undo')}
        </button>
        <span class="count" role="status">
          {t('judge.done', { count: judging.judgements.size, total: hits.length })}
        </span>
      </p>
      <ErrorNotice error={search.error ?? judging.error} />
      {text.trim() === '' ? (
        <Empty title={t('judge.start')} about={t('judge.start.about')} />
      ) : ready && hits.length === 0 ? (
        <Empty title={t('empty.hits')} />
      ) : (
        <ol class="judged" ref={list}>
          {hits.map((hit, place) => (
            <li
              key={hit.card.id}
              class={place === current ? 'box current' : 'box'}
              aria-current={place === current ? 'true' : undefined}
              data-card={hit.card.id}
            >
              <p>
                {!blind && <VerdictBadge verdict={hit.verdict} />} <MathText text={hit.card.questionText} />
              </p>
              {hit.card.studentSolutionText !== null && (
                <p class="wrong">
                  <span class="lead">{t('card.wrong')}</span> <MathText text={hit.card.studentSolutionText} />
                </p>
              )}
              <Tags topicTags={hit.card.topicTags} errorTypes={hit.card.errorTypes} />
              <fieldset class="segmented">
                <legend class="sr-only">{t('judge.grade', { question: questionName(hit.card) })}</legend>
                {RELEVANCES.map((relevance, grade) => (
                  <button
                    key={relevance}
                    type="button"
                    disabled={!ready}
                    aria-pressed={judging.judgements.get(hit.card.id) === relevance}
                    onClick={() => judge(place, grade)}
                  >
                    {t(`relevance.${relevance}`)}
                  </button>
                ))}
              </fieldset>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
