/** A choice of one, by mouse, or by Tab and the arrow keys. */
export function Tabs<Value extends string>({
  label,
  values,
  value,
  onChange,
}: {
  label: string;
  values: readonly { readonly value: Value; readonly name: string; readonly about?: string }[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  return (
    <div
      class="tabs"
      role="tablist"
      aria-label={label}
      onKeyDown={(event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step === undefined) return;
        const place = values.findIndex((one) => one.value === value);
        const next = values[(place + step + values.length) % values.length];
        if (next === undefined) return;
        event.preventDefault();
        onChange(next.value);
        const tabs = event.currentTarget.querySelectorAll<HTMLButtonElement>('[role=tab]');
        tabs[values.indexOf(next)]?.focus();
      }}
    >
      {values.map((one) => (
        <button
          key={one.value}
          type="button"
          role="tab"
          aria-selected={one.value === value}
          tabIndex={one.value === value ? 0 : -1}
          title={one.about}
          onClick={() => onChange(one.value)}
        >
          {one.name}
        </button>
      ))}
    </div>
  );
}
