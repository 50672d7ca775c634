export const DIFFICULTIES = [1, 2, 3, 4, 5] as const;

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
