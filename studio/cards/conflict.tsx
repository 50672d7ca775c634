import { useState } from 'preact/hooks';
import { useWording } from '../app/i18n.js';
import type { CardFields } from '../generated/operations.js';
import { Difference } from '../ui/difference.js';
import { type Draft, type DraftField, differing, draftOf, textOf } from './draft.js';

/** Somebody saved the card in the meantime: field by field, which version counts. */
export function Conflict({
  base,
  mine,
  theirs,
  onDecide,
}: {
  base: CardFields;
  mine: Draft;
  theirs: CardFields;
  onDecide: (draft: Draft) => void;
}) {
  const wording = useWording();
  const { t } = wording;
  const [before, now] = [draftOf(base), draftOf(theirs)];
  const fields = differing(mine, now);
  const changed = differing(mine, before);
  const [chosen, setChosen] = useState<Readonly<Partial<Record<DraftField, 'mine' | 'theirs'>>>>({});
  /** Only the other one changed it: theirs counts, unless one decides otherwise. */
  const choiceOf = (field: DraftField) => chosen[field] ?? (changed.includes(field) ? 'mine' : 'theirs');
  const decide = (): void => {
    const decided = Object.fromEntries(
      fields.map((field) => [field, choiceOf(field) === 'mine' ? mine[field] : now[field]]),
    );
    onDecide({ ...now, ...decided });
  };
  return (
    <section class="conflict" aria-label={t('conflict.title')}>
      <div class="notice notice-warning" role="alert">
        <p>
          <strong>{t('conflict.title')}</strong> {t('conflict.about', { revision: theirs.revision })}
        </p>
      </div>
      {fields.map((field) => (
        <fieldset key={field} class="box">
          <legend>{t(`field.${field}`)}</legend>
          <div class="versions">
            {(['mine', 'theirs'] as const).map((side) => (
              <label key={side} class={choiceOf(field) === side ? 'version chosen' : 'version'}>
                <span class="check">
                  <input
                    type="radio"
                    name={field}
                    checked={choiceOf(field) === side}
                    onChange={() => setChosen({ ...chosen, [field]: side })}
                  />
                  <b>{t(`conflict.${side}`)}</b>
                </span>
                <Difference
                  own={textOf(field, side === 'mine' ? mine : now, wording)}
                  other={textOf(field, side === 'mine' ? now : mine, wording)}
                />
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      <button type="button" class="primary" onClick={decide}>
        {t('conflict.decide')}
      </button>
    </section>
  );
}
