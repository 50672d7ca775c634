/** What follows a control character that was read instead of the beginning of a command of LaTeX: \frac, \beta, ... */
const CONTROLS =
  /\f(?=rac|orall)|[\b](?=eta|inom|egin|ar|oldsymbol|ecause|ullet|ot|igcap|igcup)|\v(?=arphi|(?:ec|ee|dots)(?![a-z]))/g;

/** As {@link CONTROLS}: tabs and line breaks, which texts have too, within formulas only. */
const BLANKS =
  /\t(?=imes|heta|riangle|herefore|ext[a-z]*\{|(?:frac|an|au|ilde|o)(?![a-z]))|\n(?=abla|otin|eq?(?![a-z]))|\r(?=ight|(?:ho|m)(?![a-z]))/g;

const LETTERS: Readonly<Record<string, string>> = {
  ...{ '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r' },
};

/**
 * Restores commands of LaTeX in a text of a script that did not double its backslashes: in JSON and Python, "\frac" is
 * a form feed and rac.
 */
export function withBackslashes(text: string): string {
  const restored = (part: string, lost: RegExp): string => part.replace(lost, (control) => `\\${LETTERS[control]}`);
  return restored(text, CONTROLS).replace(/\$\$[^$]*\$\$|\$[^$]*\$/g, (formula) => restored(formula, BLANKS));
}
