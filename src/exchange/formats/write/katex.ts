import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import katex from 'katex';

/** What a formula may grow to, so that one made to burst does not: macro calls, and the size of a rule in em. */
const MAX_EXPANSIONS = 1_000;
const MAX_SIZE_EM = 50;

/** A formula as HTML that {@link katexStyles} gives its looks; null where it is no formula that can be set. Runs nothing, fetches nothing. */
export function renderFormula(tex: string, display: boolean): string | null {
  try {
    return katex.renderToString(tex, {
      displayMode: display,
      output: 'html',
      throwOnError: true,
      strict: 'ignore',
      trust: false,
      maxExpand: MAX_EXPANSIONS,
      maxSize: MAX_SIZE_EM,
    });
  } catch (thrown) {
    if (thrown instanceof katex.ParseError) return null;
    throw thrown;
  }
}

/** The style sheet of formulas with its fonts inside it: some 400 kB, and a page that has it needs nothing else. */
export function katexStyles(): string {
  const folder = dirname(createRequire(import.meta.url).resolve('katex/dist/katex.min.css'));
  const css = readFileSync(join(folder, 'katex.min.css'), 'utf8');
  return css.replace(/src:url\((fonts\/[\w-]+\.woff2)\)[^}]*?(?=[;}])/g, (_, font: string) => {
    const bytes = readFileSync(join(folder, font)).toString('base64');
    return `src:url(data:font/woff2;base64,${bytes}) format("woff2")`;
  });
}
