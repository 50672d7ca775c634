interface Figure {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  /** It should be none. */
  readonly isBad?: boolean;
}

/** Numbers with their names, side by side. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl class="figures">
      {figures.map(({ key, name, value, isBad }) => (
        <div key={key} class={`figure figure-${key}${isBad ? ' figure-bad' : ''}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
