import { useId } from 'preact/hooks';
import { useWording } from '../app/i18n.js';

export function Slider({
  name,
  about,
  value,
  tone,
  disabled = false,
  onChange,
}: {
  name: string;
  about?: string;
  value: number;
  tone?: string;
  disabled?: boolean;
  onChange: (value: number) => void;
}) {
  const { number } = useWording();
  const id = useId();
  return (
    <div class={`slider${tone === undefined ? '' : ` lane-${tone}`}`} title={about}>
      <label for={id}>{name}</label>
      <output for={id}>{number(value, 2)}</output>
      <input
        id={id}
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={value}
        disabled={disabled}
        style={{ '--at': `${value * 100}%` }}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
      />
    </div>
  );
}
