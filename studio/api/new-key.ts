/** 128 random bits; `crypto.randomUUID` is missing where the page comes by plain HTTP. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `studio-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
