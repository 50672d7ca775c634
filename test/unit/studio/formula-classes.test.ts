import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import katex from 'katex';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../src/config/package-root.js';

const FORMULAS = [
  String.raw`v=\frac{\text{路程}}{\text{时间}},\ \rho_{\text{水}}=10^3\ \text{kg/m}^3`,
  String.raw`x+y=1 \tag{1}`,
  String.raw`\boxed{\textbf{a}} \cancel{b} \underline{c} \overline{d} \sqrt[3]{e} \colorbox{red}{f} \fbox{g} \phase{h}`,
  String.raw`\begin{cases} x & y \\ \hline z \end{cases} \begin{array}{|c:c|} 1 & 2 \end{array} \vec{AB} \overbrace{c}^d`,
  String.raw`\href{https://a.example}{a} \includegraphics{a.png} \textit{a} \mathbb{R} \sum_{i}^n \left( \frac12 \right) \rule{1em}{1em}`,
];

test('no class of the page but those named for it is one of a formula, whose parts it would restyle', () => {
  const markup = FORMULAS.map((formula) => katex.renderToString(formula, { displayMode: true, throwOnError: false }));
  const ofFormulas = new Set(
    [...markup.join('').matchAll(/class="([^"]*)"/g)].flatMap(([, names = '']) => names.split(' ')),
  );
  expect([...ofFormulas]).toEqual(expect.arrayContaining(['text', 'tag', 'mord', 'katex']));
  const folder = join(packageRoot(), 'studio', 'styles');
  const styles = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const ofPage = new Set([...styles.join('\n').matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name));
  expect([...ofPage].filter((name) => ofFormulas.has(name)).sort()).toEqual(['katex', 'katex-display']);
});
