import { useId, useState } from 'preact/hooks';
import { namedValues, useWording } from '../app/i18n.js';

const KNOWN = { subject: namedValues('subject'), grade: namedValues('grade') } as const;

/** A subject or a grade, known ones by their names in the language of the page. */
export function NamedInput({
  kind,
  label,
  value,
  required = false,
  placeholder,
  onChange,
}: {
  kind: keyof typeof KNOWN;
  label: string;
  /** As it is stored. */
  value: string;
  required?: boolean;
  placeholder?: string;
  onChange: (value: string) => void;
}) {
  const { named } = useWording();
  const id = useId();
  /** What is being typed: "math" shows its name only afterwards, or "maths" could not be typed. */
  const [typed, setTyped] = useState<string | null>(null);
  const nameOf = (stored: string): string => named(kind, stored);
  return (
    <label class="field">
      <span>{label}</span>
      <input
        list={id}
        required={required}
        maxLength={100}
        placeholder={placeholder}
        value={typed ?? nameOf(value)}
        onInput={({ currentTarget: { value: text } }) => {
          setTyped(text);
          onChange(KNOWN[kind].find((stored) => nameOf(stored) === text.trim()) ?? text);
        }}
        onBlur={() => setTyped(null)}
      />
      <datalist id={id}>
        {KNOWN[kind].map((stored) => (
          <option key={stored} value={nameOf(stored)} />
        ))}
      </datalist>
    </label>
  );
}
