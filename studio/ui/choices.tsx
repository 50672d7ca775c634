import { MathText } from './math-text.js';

export function Choices({ choices }: { choices: readonly string[] }) {
  return choices.length === 0 ? null : (
    <ol class="choices">
      {choices.map((choice, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two choices may be equal while they are edited
        <li key={place}>
          <MathText text={choice} />
        </li>
      ))}
    </ol>
  );
}
