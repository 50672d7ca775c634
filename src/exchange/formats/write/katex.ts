import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import katex from 'katex';

/**
 * Limits of one formula: macro expansions, and each length that it names, in em; a page of a paper is some 45 em wide.
 */
const MAX_EXPANSIONS = 1_000;
const MAX_LENGTH_EM = 20;

/** A formula as HTML, styled by {@link katexStyles}, and its height in em. */
export interface RenderedFormula {
  readonly html: string;
  readonly heightEm: number;
}

/** Null if the formula cannot be typeset. The HTML has no scripts or requests. */
export function renderFormula(tex: string, display: boolean): RenderedFormula | null {
  const { warn } = console;
  // KaTeX logs every character that its fonts lack; there is no option to disable it, and the call is synchronous.
  console.warn = () => undefined;
  try {
    const html = katex.renderToString(tex, {
      displayMode: display,
      output: 'html',
      throwOnError: true,
      strict: 'ignore',
      trust: false,
      maxExpand: MAX_EXPANSIONS,
      maxSize: MAX_LENGTH_EM,
    });
    return { html, heightEm: heightOf(html) };
  } catch (thrown) {
    // KaTeX is recursive: a formula nested some thousand levels deep overflows the stack.
    if (thrown instanceof katex.ParseError || thrown instanceof RangeError) return null;
    throw thrown;
  } finally {
    console.warn = warn;
  }
}

/**
 * KaTeX puts a strut as high as its part of the line before each part, and a span with the class newline between lines.
 */
function heightOf(html: string): number {
  const most = (line: string, pattern: RegExp): number =>
    Math.max(0, ...[...line.matchAll(pattern)].map(([, em]) => Number(em)));
  return html
    .split('<span class="mspace newline"')
    .map(
      (line) => most(line, /^ style="margin-top:([\d.]+)em/g) + most(line, /class="strut" style="height:([\d.]+)em/g),
    )
    .reduce((sum, height) => sum + height, 0);
}

/** The style sheet of formulas with embedded fonts, some 400 kB. */
export function katexStyles(): string {
  const folder = dirname(createRequire(import.meta.url).resolve('katex/dist/katex.min.css'));
  const css = readFileSync(join(folder, 'katex.min.css'), 'utf8');
  return css.replace(/src:url\((fonts\/[\w-]+\.woff2)\)[^}]*?(?=[;}])/g, (_, font: string) => {
    const bytes = readFileSync(join(folder, font)).toString('base64');
    return `src:url(data:font/woff2;base64,${bytes}) format("woff2")`;
  });
}
