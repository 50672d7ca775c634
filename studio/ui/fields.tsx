import type {
  ComponentChildren,
  InputHTMLAttributes,
  TargetedCompositionEvent,
  TargetedInputEvent,
  TextareaHTMLAttributes,
} from 'preact';
import { useState } from 'preact/hooks';

/** A form that sends nothing by itself. */
export function Form({
  class: kind,
  onSubmit,
  children,
}: {
  class?: string;
  onSubmit: () => unknown;
  children: ComponentChildren;
}) {
  return (
    <form
      class={kind}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Attributes of a text field whose `onText` waits while an input method composes a word, which the field shows. */
export function useComposedText(value: string, onText: (text: string) => void) {
  const [composing, setComposing] = useState<string | null>(null);
  return {
    value: composing ?? value,
    onInput: ({ currentTarget, isComposing }: TargetedInputEvent<Field>): void => {
      setComposing(isComposing ? currentTarget.value : null);
      if (!isComposing) onText(currentTarget.value);
    },
    onCompositionEnd: ({ currentTarget }: TargetedCompositionEvent<Field>): void => {
      setComposing(null);
      onText(currentTarget.value);
    },
  };
}

/** Further attributes are those of the input. */
export function TextInput({
  label,
  value,
  onInput,
  ...input
}: Omit<InputHTMLAttributes, 'onInput'> & { label: string; value: string; onInput: (text: string) => void }) {
  const composed = useComposedText(value, onInput);
  return (
    <label class="field">
      <span>{label}</span>
      <input {...(input as InputHTMLAttributes)} {...composed} />
    </label>
  );
}

export function TextArea({
  label,
  onInput,
  ...area
}: Omit<TextareaHTMLAttributes, 'onInput'> & { label: string; value: string; onInput: (text: string) => void }) {
  return (
    <label class="field">
      <span>{label}</span>
      <textarea {...area} onInput={(event) => onInput(event.currentTarget.value)} />
    </label>
  );
}

interface ChoiceProps<Value extends string | number> {
  /** For screen readers, where no label is shown. */
  ariaLabel?: string;
  value: Value | undefined;
  values: readonly Value[];
  /** By default the value itself. */
  nameOf?: (value: Value) => string;
  onChange: (value: Value) => void;
}

export function Choice<Value extends string | number>({
  ariaLabel,
  value,
  values,
  nameOf = String,
  onChange,
}: ChoiceProps<Value>) {
  return (
    <select
      aria-label={ariaLabel}
      value={value}
      onChange={({ currentTarget: { selectedIndex } }) => onChange(values[selectedIndex] as Value)}
    >
      {values.map((one) => (
        <option key={one} value={one}>
          {nameOf(one)}
        </option>
      ))}
    </select>
  );
}

/** The same with its label. */
export function Select<Value extends string | number>({
  label,
  class: kind = 'field',
  ...choice
}: Omit<ChoiceProps<Value>, 'ariaLabel'> & { label: string; class?: string }) {
  return (
    <label class={kind}>
      <span>{label}</span>
      <Choice {...choice} />
    </label>
  );
}

export function Check({
  label,
  checked,
  class: kind = 'check',
  onChange,
}: {
  label: string;
  checked: boolean;
  class?: string;
  onChange: (checked: boolean) => void;
}) {
  return (
    <label class={kind}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}
