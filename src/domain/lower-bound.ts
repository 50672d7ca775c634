/** Of ascending numbers, the first place from `low` with at least `value`; `high` if there is none before it. */
export function lowerBound(numbers: ArrayLike<number>, value: number, low = 0, high = numbers.length): number {
  let [first, end] = [low, high];
  while (first < end) {
    const middle = (first + end) >>> 1;
    if ((numbers[middle] as number) < value) first = middle + 1;
    else end = middle;
  }
  return first;
}
