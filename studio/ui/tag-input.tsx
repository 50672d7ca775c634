import { useId, useRef, useState } from 'preact/hooks';
import { useWording } from '../app/i18n.js';

/** How typed text is divided: into values, and whether a separator has ended the last one. */
interface Division {
  readonly values: RegExp;
  readonly isEnded: (typed: string) => boolean;
}

/** Divided as in files: separators in brackets divide nothing, so that 函数（导数、极值） is one label. */
const LABELS: Division = {
  values: /(?:[(（][^()（）]*[)）]|[^,，;；、|\t\r\n])+/g,
  // A bracket may be closed yet.
  isEnded: (typed) => /[,，;；、|]/.test(typed.replace(/[(（][^()（）]*(?:[)）]|$)/g, '')),
};

/** Ids of students, such as `auth0|6f1c`. */
export const IDS: Division = { values: /[^,，、\t\r\n]+/g, isEnded: (typed) => /[,，、]/.test(typed) };

/** Values as chips; Enter or a separator ends one, Backspace in an empty field takes the last one back. */
export function TagInput({
  label,
  values,
  onChange,
  division = LABELS,
  suggestions,
}: {
  label: string;
  values: readonly string[];
  onChange: (values: readonly string[]) => void;
  division?: Division;
  /** They come late: their line is there before, so that nothing below moves where one is about to click. */
  suggestions?: readonly { readonly tag: string; readonly about: string }[];
}) {
  const { t } = useWording();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const add = (text: string): void => {
    const names = (text.match(division.values) ?? []).map((one) => one.trim());
    onChange([...new Set([...values, ...names.filter((one) => one !== '')])]);
    setTyped('');
  };
  const left = suggestions?.filter(({ tag }) => !values.includes(tag));
  return (
    <div class="field tag-input">
      <label for={id}>{label}</label>
      <div class="tag-box">
        {values.map((value) => (
          <span key={value} class="label-tag">
            {value}{' '}
            <button
              type="button"
              class="quiet"
              aria-label={t('tags.remove', { tag: value })}
              onClick={() => {
                onChange(values.filter((one) => one !== value));
                field.current?.focus();
              }}
            >
              ×
            </button>
          </span>
        ))}
        <input
          id={id}
          ref={field}
          value={typed}
          placeholder={t('tags.add')}
          onInput={(event) => {
            const { value } = event.currentTarget;
            if (division.isEnded(value)) add(value);
            else setTyped(value);
          }}
          onPaste={(event) => {
            const pasted = event.clipboardData?.getData('text') ?? '';
            // The cells of a column or row. The field, of one line, would make one value of them.
            if (!/[\t\r\n]/.test(pasted.trim())) return;
            event.preventDefault();
            add(`${typed}\n${pasted}`);
          }}
          onKeyDown={(event) => {
            // These keys belong to an input method that is composing a word.
            if (event.isComposing) return;
            if (event.key === 'Enter') {
              event.preventDefault();
              add(typed);
            } else if (event.key === 'Backspace' && typed === '' && !event.repeat) {
              onChange(values.slice(0, -1));
            }
          }}
          onBlur={() => add(typed)}
        />
      </div>
      {left !== undefined && (
        <p class="suggestions">
          {left.length > 0 && <span class="detail">{t('tags.suggested')}</span>}
          {left.map(({ tag, about }) => (
            <button
              key={tag}
              type="button"
              title={about}
              onClick={() => {
                onChange([...new Set([...values, tag])]);
                field.current?.focus();
              }}
            >
              + {tag}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}
