import { type ComponentChildren, Fragment } from 'preact';

interface Figure {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  /** It should be none. */
  readonly isBad?: boolean;
}

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

/** Facts with their names, one below the other; one that is null or an empty text is left out. */
export function Pairs({ pairs }: { pairs: readonly (readonly [name: string, fact: ComponentChildren])[] }) {
  return (
    <dl class="pairs">
      {pairs
        .filter(([, fact]) => fact !== null && fact !== '')
        .map(([name, fact]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
