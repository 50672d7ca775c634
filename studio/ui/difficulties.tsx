import { DIFFICULTIES } from './card-values.js';

export function DifficultyOptions() {
  return (
    <>
      {DIFFICULTIES.map((level) => (
        <option key={level} value={level}>
          {level}
        </option>
      ))}
    </>
  );
}
