/** Says on standard output what a long test came to; the runner shows only whether it passed. */
export function tell(facts: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}

/** A whole number from the environment, or the default. */
export function numberFrom(name: string, otherwise: number): number {
  const given = process.env[name];
  const value = given ? Number(given) : otherwise;
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} is ${given}, which is no number of loops`);
  return value;
}
