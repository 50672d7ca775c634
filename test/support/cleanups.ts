import { afterEach } from 'vitest';

/** What a test started or made, undone after each test in reverse order, whatever the test's outcome. */
export function cleanups(): (undo: () => Promise<unknown>) => void {
  const undos: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const undo of undos.splice(0).reverse()) await undo();
  });
  return (undo) => void undos.push(undo);
}
