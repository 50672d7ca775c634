import { useId, useState } from 'preact/hooks';
import { named, useWording } from '../app/i18n.js';

/** The subjects that the gateway knows, as it stores them. */
const SUBJECTS = [
  'math',
  'physics',
  'chemistry',
  'biology',
  'chinese',
  'english',
  'history',
  'geography',
  'politics',
  'science',
] as const;

/** A subject, known ones by their names in the language of the page. */
export function SubjectInput({
  label,
  value,
  required = false,
  onChange,
}: {
  label: string;
  /** As it is stored. */
  value: string;
  required?: boolean;
  onChange: (value: string) => void;
}) {
  const wording = useWording();
  const id = useId();
  /** What is being typed: "math" shows its name only afterwards, or "maths" could not be typed. */
  const [typed, setTyped] = useState<string | null>(null);
  const nameOf = (subject: string): string => named(wording, 'subject', subject);
  return (
    <label class="field">
      <span>{label}</span>
      <input
        list={id}
        required={required}
        maxLength={100}
        value={typed ?? nameOf(value)}
        onInput={({ currentTarget: { value: text } }) => {
          setTyped(text);
          onChange(SUBJECTS.find((subject) => nameOf(subject) === text.trim()) ?? text);
        }}
        onBlur={() => setTyped(null)}
      />
      <datalist id={id}>
        {SUBJECTS.map((subject) => (
          <option key={subject} value={nameOf(subject)} />
        ))}
      </datalist>
    </label>
  );
}
