/** Counts the turns of the event loop in which other requests would be answered, between `start` and `stop`. */
export function turnCounter() {
  let isCounting = false;
  const counter = {
    turns: 0,
    start(): void {
      isCounting = true;
      setImmediate(count);
    },
    stop(): void {
      isCounting = false;
    },
  };
  function count(): void {
    if (!isCounting) return;
    counter.turns += 1;
    setImmediate(count);
  }
  return counter;
}
