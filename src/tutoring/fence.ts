/**
 * Characters that a reader does not see but a chat model reads: control characters, direction marks, tag characters.
 */
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Cf}]/gu;

/**
 * Tokens by which servers tell roles apart (`<|im_start|>`, `<start_of_turn>`, `[INST]`, `<<SYS>>`), and labels of
 * sources.
 */
const MARKERS: readonly (readonly [RegExp, string])[] = [
  [/<(?=[|｜])/g, '< '],
  [/<(?=<\s*\/?\s*sys)/gi, '< '],
  [/<(?=\/?(?:s|system|user|assistant|tool|start_of_turn|end_of_turn|bos|eos)\s*>)/gi, '< '],
  [/\[(?=\/?INST\])/gi, '[ '],
  [/([[【［〔])(?=[^\S\n]*[sSＳｓ][^\S\n]*[\p{Nd}])/gu, '$1 '],
];

/**
 * A text of a card, or of a question, as a prompt shows it: the same to a reader, with nothing in it that a chat model
 * obeys.
 */
export function harmless(text: string): string {
  return MARKERS.reduce((shown, [marker, shownAs]) => shown.replace(marker, shownAs), text.replace(INVISIBLE, ''));
}

/**
 * The text as a code block of Markdown that nothing in it can close: one backtick more than it has anywhere in a row.
 */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}
