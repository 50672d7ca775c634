/** The whole number in ERRATA_SEED, by which a run can be repeated, or else `otherwise`; by default a new one. */
export function seedOfRun(otherwise: number = Math.floor(Math.random() * 2 ** 31)): number {
  const given = process.env.ERRATA_SEED;
  const seed = given ? Number(given) : otherwise;
  if (!Number.isSafeInteger(seed)) throw new Error(`ERRATA_SEED is ${given}, which is no whole number`);
  return seed;
}
