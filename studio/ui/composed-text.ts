import type { TargetedCompositionEvent, TargetedInputEvent } from 'preact';
import { useState } from 'preact/hooks';

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
