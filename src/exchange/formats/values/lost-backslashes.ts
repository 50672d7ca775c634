/** What follows a control character that was read instead of the beginning of a command of LaTeX: \frac, \beta, ... */
const CONTROLS =
  /\f(?=rac|orall)|[\b](?=eta|inom|egin|ar|oldsymbol|ecause|ullet|ot|igcap|igcup)|\v(?=arphi|(?:ec|ee|dots)(?![a-z]))/g;

/** As {@link CONTROLS}: tabs and line breaks, which texts have too, within formulas only. */
const BLANKS =
  /\t(?=imes|heta|riangle|herefore|ext[a-z]*\{|(?:frac|an|au|ilde|o)(?![a-z]))|\n(?=abla|otin)|\r(?=ight|(?:ho|m)(?![a-z]))/g;

/** Commands between two operands: none of them is beside ≠. */
const OPERATORS = String.raw`\\(?:[lgn]eq?|approx|equiv|sim|in|to|cdot|times|div|pm|mp|q?quad)(?![A-Za-z])`;
/** Behind the end of an operand. The distance between lines, \\[2pt], is none. */
const BEHIND_OPERAND = String.raw`(?<=[\p{L}\p{N})\]}|'!°%] ?)(?<!${OPERATORS} ?)(?<!\\\\\[[^\]\n]{0,20}\] ?)`;
const BEFORE_OPERAND = String.raw`(?!\s*(?:[\^_=+*/)\]},.;&<>$]|${OPERATORS}))`;

/** Of \neq and \ne. The number e may begin a line too: behind = or \\, or before ^. */
const NOT_EQUAL = RegExp(
  String.raw`(?<=[\p{L}\p{N})\]}|'!°%&] ?)\n(?=eq(?![A-Za-z]))|${BEHIND_OPERAND}\n(?=e(?![A-Za-z])${BEFORE_OPERAND})`,
  'gu',
);

const LETTERS: Readonly<Record<string, string>> = {
  ...{ '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r' },
};

/**
 * Restores commands of LaTeX in a text of a script that did not double its backslashes: in JSON and Python, "\frac" is
 * a form feed and rac.
 */
export function withBackslashes(text: string): string {
  const restored = (part: string, lost: RegExp): string => part.replace(lost, (control) => `\\${LETTERS[control]}`);
  return restored(text, CONTROLS).replace(/\$\$[^$]*\$\$|\$[^$]*\$/g, (formula) =>
    restored(restored(formula, BLANKS), NOT_EQUAL),
  );
}
