/** The seed of a run, from ERRATA_SEED or else a new one; it is printed, so that a run can be repeated. */
export function seedOfRun(): number {
  const given = process.env.ERRATA_SEED;
  const seed = given ? Number(given) : Math.floor(Math.random() * 2 ** 31);
  if (!Number.isSafeInteger(seed)) throw new Error(`ERRATA_SEED is ${given}, which is no whole number`);
  return seed;
}
