import { useEffect, useRef } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import { OneCard } from '../generated/operations.js';
import { useComposedText } from '../ui/fields.js';
import { MathText } from '../ui/math-text.js';
import { useKeys } from '../ui/use-keys.js';
import type { Asked } from './state.js';

/** The form of an id that is no plain word: ids have digits or separators in them. */
const ID = /^(?=[\w.:-]{3,100}$)(?=.*\d)[A-Za-z0-9][\w.:-]*$/;

/** An id may be the beginning of a longer one that is being typed. */
const DEBOUNCE_MS = 400;

/** One box for words, formulas, or the id of a card, which becomes a chip if there is such a card. */
export function QueryBox({
  asked,
  shown,
  onChange,
}: {
  asked: Asked;
  /** Whether its page is shown. */
  shown: boolean;
  onChange: (change: Partial<Asked>) => void;
}) {
  const { t } = useWording();
  const box = useRef<HTMLTextAreaElement>(null);
  const composed = useComposedText(asked.text, (text) => onChange({ text }));
  const clear = (): void => {
    onChange({ cardId: null, text: '' });
    // The box of a card is replaced by the one to type in.
    requestAnimationFrame(() => box.current?.focus());
  };
  const typed = asked.text.trim();
  const guess = asked.cardId ?? (ID.test(typed) ? typed : null);
  const variables = guess === null ? null : { id: guess };
  const { data, loading, error } = useQuery(OneCard, variables, {
    debounceMs: asked.cardId === null ? DEBOUNCE_MS : 0,
  });
  const card = loading || error !== null ? null : data?.card;

  useEffect(() => {
    // The id of a card that was merged into another one finds that one.
    if (card != null && card.id !== asked.cardId) onChange({ cardId: card.id, text: '' });
  }, [asked.cardId, card, onChange]);
  useKeys((key, event) => {
    if (key !== '/' || !shown) return;
    event.preventDefault();
    box.current?.focus();
  });

  if (asked.cardId !== null) {
    return (
      <div class="query-box query-card">
        <p class="query-from">
          {t('search.fromCard')} <a href={href('cards', asked.cardId)}>{asked.cardId}</a>
        </p>
        {card != null && (
          <p class="query-text">
            <span class="clamped">
              <MathText text={card.questionText} />
            </span>
          </p>
        )}
        <ClearButton clear={clear} />
      </div>
    );
  }
  return (
    <div class="query-box">
      <label class="sr-only" for="query">
        {t('search.query')}
      </label>
      <textarea
        id="query"
        ref={box}
        rows={2}
        placeholder={t('search.placeholder')}
        {...composed}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') onChange({ text: '' });
          // The search runs while one types: a line break would only be an invisible part of the query.
          if (event.key === 'Enter' && !event.shiftKey) event.preventDefault();
        }}
      />
      {typed !== '' && <ClearButton clear={clear} />}
      {/[$\\]/.test(typed) && (
        <p class="query-preview">
          <MathText text={typed} />
        </p>
      )}
    </div>
  );
}

function ClearButton({ clear }: { clear: () => void }) {
  const { t } = useWording();
  return (
    <button type="button" class="quiet" aria-label={t('search.clear')} onClick={clear}>
      ×
    </button>
  );
}
