import { useEffect, useRef, useState } from 'preact/hooks';
import { asApiError, takenBack } from '../api/client.js';
import { useAction } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import { useRights } from '../app/session.js';
import { differing, draftOf, FIELDS, textOf } from '../cards/draft.js';
import { type CardFields, MergeCards, UnmergeCard } from '../generated/operations.js';
import { Difference } from '../ui/difference.js';
import { focusWhenLost } from '../ui/focus.js';
import { QuestionLink } from '../ui/labels.js';
import { MathText } from '../ui/math-text.js';
import { Empty, ErrorNotice, Loading } from '../ui/notices.js';
import { useKeys } from '../ui/use-keys.js';
import type { Pair } from './pairs.js';
import { useDuplicates, useKeptPairs } from './use-duplicates.js';

/** Two cards at a time, side by side; M merges, K keeps both and goes on. */
export function DuplicatesPage() {
  const { t } = useWording();
  /** Merged since the list was loaded. */
  const [done, setDone] = useState<ReadonlySet<string>>(new Set());
  const [merged, setMerged] = useState<Merged | null>(null);
  const kept = useKeptPairs();
  const { isLoaded, error, loading, pairs, isFull, hidden, reload, begin } = useDuplicates(done, kept.has);
  const [pair] = pairs;
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t('nav.duplicates')}</h1>
        {isLoaded && (pair !== undefined || !isFull) && (
          <span class="count" role="status">
            {t(isFull ? 'duplicates.leftAtLeast' : 'duplicates.left', { count: pairs.length })}
          </span>
        )}
        <button type="button" disabled={loading} onClick={begin}>
          {t('duplicates.again')}
        </button>
      </div>
      <ErrorNotice error={error} retry={reload} />
      {hidden > 0 && (
        <p class="detail">
          {t('duplicates.hidden', { count: hidden })}{' '}
          <button
            type="button"
            class="link"
            onClick={() => {
              kept.clear();
              begin();
            }}
          >
            {t('duplicates.hidden.show')}
          </button>
        </p>
      )}
      {merged !== null && (
        <Undo
          key={merged.pair}
          merged={merged}
          onUndone={() => {
            setMerged(null);
            setDone((before) => new Set([...before].filter((id) => id !== merged.pair)));
            begin();
          }}
        />
      )}
      {pair === undefined &&
        (loading ? (
          <Loading />
        ) : (
          isLoaded && !isFull && <Empty title={t('duplicates.none')} about={t('duplicates.none.about')} />
        ))}
      {pair !== undefined && (
        <Side
          key={pair.id}
          {...pair}
          intoRevision={revisionAfter(merged, pair.into)}
          onKeep={() => kept.keep(pair)}
          onConflict={begin}
          onMerged={(last) => {
            setDone((before) => new Set([...before, pair.id]));
            setMerged(last);
            reload();
          }}
        />
      )}
    </div>
  );
}

/** The last merge, with the revision that the kept card has by it. */
interface Merged {
  readonly pair: string;
  /** The id of the card that was merged. */
  readonly from: string;
  readonly into: CardFields;
  readonly revision: number;
}

/** The last merge may have changed the card since the list was loaded. */
function revisionAfter(merged: Merged | null, { id, revision }: CardFields): number {
  return merged?.into.id === id ? Math.max(merged.revision, revision) : revision;
}

function Undo({ merged, onUndone }: { merged: Merged; onUndone: () => void }) {
  const { t } = useWording();
  const undo = useAction(async (api) => {
    await takenBack(api.run(UnmergeCard, { id: merged.from, expectedRevision: merged.revision }));
    onUndone();
  });
  return (
    <div class="notice notice-good" role="status">
      <p>
        {t('duplicates.merged')} <QuestionLink card={merged.into} />
      </p>
      <button type="button" disabled={undo.running} onClick={() => undo.run()}>
        {t('duplicates.undo')}
      </button>
      <ErrorNotice error={undo.error} />
    </div>
  );
}

/** Not for the second click of a double click: the next pair may be there by then, and nobody has seen it. */
const onFirst =
  (act: () => void) =>
  ({ detail }: MouseEvent): void => {
    if (detail <= 1) act();
  };

function Side({
  id,
  into,
  from,
  exact,
  intoRevision,
  onKeep,
  onConflict,
  onMerged,
}: Pair & {
  intoRevision: number;
  onKeep: () => void;
  /** One of the cards was changed, merged or deleted since it was loaded. */
  onConflict: () => void;
  onMerged: (merged: Merged) => void;
}) {
  const wording = useWording();
  const { t, date } = wording;
  const mayMerge = useRights().mayChange(into);
  const section = useRef<HTMLElement>(null);
  useEffect(() => focusWhenLost(section.current), []);
  const merge = useAction(async (api) => {
    const revisions = { expectedFromRevision: from.revision, expectedRevision: intoRevision };
    try {
      const { mergeCards } = await api.run(MergeCards, { from: from.id, into: into.id, ...revisions });
      onMerged({ pair: id, from: from.id, into, revision: mergeCards.revision });
    } catch (thrown) {
      if (['CONFLICT', 'NOT_FOUND'].includes(asApiError(thrown).code)) onConflict();
      throw thrown;
    }
  });
  useKeys((key) => {
    if (merge.running) return;
    if (key === 'm' && mayMerge) void merge.run();
    if (key === 'k') onKeep();
  });
  const [a, b] = [draftOf(into), draftOf(from)];
  const fields = new Set(differing(a, b));
  const shown = FIELDS.filter((field) => field === 'questionText' || fields.has(field));
  return (
    <section ref={section} tabIndex={-1} aria-label={t('duplicates.pair')}>
      <p class="actions duplicates-actions">
        <span class="badge">{t(exact ? 'duplicates.exact' : 'duplicates.near')}</span>
        {mayMerge && (
          <button type="button" class="primary" disabled={merge.running} onClick={onFirst(() => merge.run())}>
            {t('duplicates.merge')} <kbd>M</kbd>
          </button>
        )}
        <button type="button" disabled={merge.running} onClick={onFirst(onKeep)}>
          {t('duplicates.keep')} <kbd>K</kbd>
        </button>
      </p>
      <ErrorNotice error={merge.error} />
      <div class="versions">
        {(
          [
            { card: into, draft: a, other: b, role: 'into' },
            { card: from, draft: b, other: a, role: 'from' },
          ] as const
        ).map(({ card, draft, other, role }) => (
          <article key={card.id} class="box" data-card={card.id}>
            <header class="side-head">
              <span class="badge">{t(`duplicates.${role}`)}</span>
              <span class="count">
                {date(card.occurredAt)} · {t('card.times', { count: card.occurrences })}
              </span>
            </header>
            <div class="card-text set">
              <a href={href('cards', card.id)}>
                <MathText text={card.questionText} />
              </a>
            </div>
            <dl class="fields">
              {shown.map((field) => (
                <div key={field}>
                  <dt>{t(`field.${field}`)}</dt>
                  <dd>
                    <Difference own={textOf(field, draft, wording)} other={textOf(field, other, wording)} />
                  </dd>
                </div>
              ))}
            </dl>
          </article>
        ))}
      </div>
    </section>
  );
}
