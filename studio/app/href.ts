export function href(page: string, ...rest: readonly string[]): string {
  return `#/${[page, ...rest.map(encodeURIComponent)].join('/')}`;
}

/** The address of a page with parameters: those before, and others that replace them; null: without it. */
export function hrefWith(
  page: string,
  changed: Readonly<Record<string, string | readonly string[] | null>>,
  before: URLSearchParams = new URLSearchParams(),
): string {
  const all = new URLSearchParams(before);
  for (const [name, value] of Object.entries(changed)) {
    all.delete(name);
    for (const one of [value ?? []].flat()) all.append(name, one);
  }
  return all.size === 0 ? href(page) : `${href(page)}?${all}`;
}
