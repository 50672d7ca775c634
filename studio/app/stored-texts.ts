/** The texts of a stored list. What another version of the page, or somebody by hand, has stored may be anything. */
export function storedTexts(text: string | null): readonly string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
