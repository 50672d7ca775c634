import { describe, expect, test } from 'vitest';
import { ankiPieces } from '../../../../src/exchange/formats/write/anki.js';
import { htmlPaper } from '../../../../src/exchange/formats/write/html-paper.js';
import { markdownPaper } from '../../../../src/exchange/formats/write/markdown-paper.js';
import { withoutMistakes } from '../../../../src/exchange/formats/write/paper-texts.js';

import { cardWith } from './card-with.js';

async function written(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

describe('a paper', () => {
  const evil = cardWith({
    questionText:
      '<script>alert(1)</script> ![x](http://evil.example/a.png) 解 $\\frac{1}{2}<x$ \\href{javascript:alert(1)}{x} $\\undefined{$',
    studentSolutionText: '$\\def\\a{\\a\\a}\\a$',
    goldSolutionBrief: '"quoted" \'x\'',
    notes: '# heading\n- list\n<img src=x onerror=alert(1)>',
  });

  test('in HTML has the questions first, then answers and mistakes, with typeset formulas', async () => {
    const cards = [
      cardWith({ questionText: '求 $\\frac{1}{2}$ 的倒数', goldSolutionBrief: '等于二' }),
      cardWith({ questionText: '第二题', notes: '记住' }),
    ];
    const html = await written(htmlPaper({ title: null, language: 'zh' }, cards));
    const order = ['class="questions"', '求 ', 'class="mfrac"', '第二题', 'class="answers"', '等于二', '记住'].map(
      (part) => html.indexOf(part, html.indexOf('<body>')),
    );
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  test('in HTML runs and loads nothing, whatever a card contains', async () => {
    const html = await written(htmlPaper({ title: '<b>', language: 'en' }, [evil]));
    expect(html).not.toMatch(/<script|<img|<b>|href=|src="|url\((?!data:)/);
    expect(html).toContain("default-src 'none'");
    expect(html).toContain('&lt;script&gt;');
    expect(html).toContain('url(data:font/woff2;base64,');
  });

  test('in HTML styles no class of KaTeX, so that Chinese in formulas stays in its line', async () => {
    const formulas =
      '$v_{\\text{平均}}=\\dfrac{\\text{路程}}{\\sqrt[3]{x}}$ $$\\begin{cases}a&b\\\\c&d\\end{cases}\\tag{1}$$';
    const html = await written(htmlPaper({ title: null, language: 'zh' }, [cardWith({ questionText: formulas })]));
    const [, own = ''] = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style]) => style);
    const ruled = [...own.replaceAll(/\.katex \S+/g, '').matchAll(/\.([a-z][\w-]*)/g)].map(
      ([, name]) => name as string,
    );
    const [formula = ''] = /<span class="katex">[\s\S]*(?=<\/div><div class="meta">)/.exec(html) ?? [];
    const used = new Set([...formula.matchAll(/class="([^"]*)"/g)].flatMap(([, names]) => names?.split(' ')));
    expect(used).toContain('text');
    expect(ruled).toContain('card-text');
    expect(ruled.filter((name) => !name.startsWith('katex') && used.has(name))).toEqual([]);
  });

  test.each([
    ['rules', '长 $\\rule{50em}{50em}$ '],
    ['line breaks', '$a\\\\[50em]b$ '],
    ['matrices', '$\\begin{matrix}a\\\\[50em]b\\\\[50em]c\\end{matrix}$ '],
  ])('in HTML limits tall formulas to a page: %s', async (_what, formula) => {
    const questionText = `${formula.repeat(100)}$\\frac{1}{2}$`;
    const html = await written(htmlPaper({ title: null, language: 'en' }, [cardWith({ questionText })]));
    const tall = [...html.matchAll(/(?:class="strut" style="height|newline" style="margin-top):([\d.]+)em/g)]
      .map(([, em]) => Number(em))
      .filter((em) => em > 5);
    expect(tall.length).toBeGreaterThan(0);
    expect(tall.reduce((sum, em) => sum + em, 0)).toBeLessThanOrEqual(60);
    expect(html).toContain(`<code>${formula.split('$')[1]}</code>`);
    expect(html).toContain('class="mfrac"');
  });

  test('in HTML typesets chemical equations, and shows one that is wrong as its source', async () => {
    const questionText = '$\\ce{2H2 + O2 ->[点燃] 2H2O}$ 与 $\\ce{A\\bond{?}B}$';
    const html = await written(htmlPaper({ title: null, language: 'zh' }, [cardWith({ questionText })]));
    expect(html).toContain('class="mrel x-arrow"');
    expect(html.match(/<code>.*?<\/code>/g)).toEqual(['<code>\\ce{A\\bond{?}B}</code>']);
  });

  test('in HTML logs nothing, whatever characters a formula has', async () => {
    const { warn } = console;
    const printed: unknown[] = [];
    console.warn = (...args) => printed.push(args);
    try {
      const cards = [cardWith({ questionText: '$题目+😀$ $\\text{ก}$ $\\undefined$' })];
      expect(await written(htmlPaper({ title: null, language: 'zh' }, cards))).toContain('😀');
    } finally {
      console.warn = warn;
    }
    expect(printed).toEqual([]);
  });

  test('in Chinese names subject and grade in Chinese, and has full-width punctuation', async () => {
    const one = cardWith({
      grade: 'G5',
      studentSolutionText: '2/5',
      goldSolutionBrief: '5/6',
      topicTags: ['通分'],
      errorTypes: ['计算错误', '粗心'],
    });
    const markdown = await written(markdownPaper({ title: null, language: 'zh' }, [one]));
    const html = await written(htmlPaper({ title: null, language: 'zh' }, [one]));
    for (const paper of [markdown, html]) expect(paper).toContain('数学 · 五年级 · 难度 2');
    for (const part of ['**答案**：5/6', '（计算错误；粗心）', '**知识点**：通分']) expect(markdown).toContain(part);
  });

  test('in Markdown has escaped texts, and formulas between dollars', async () => {
    const text = await written(markdownPaper({ title: null, language: 'en' }, [evil]));
    const chosen = cardWith({ choices: ['1', '*2*'] });
    expect(await written(markdownPaper({ title: null, language: 'en' }, [chosen]))).toContain('A. 1  \n   B. \\*2\\*');
    expect(await written(htmlPaper({ title: null, language: 'en' }, [chosen]))).toContain('1+1=?\nA. 1\nB. *2*<');
    const added = cardWith({ questionText: '25\n+17\n---\n? &lt;\n  ===' });
    const column = await written(markdownPaper({ title: null, language: 'en' }, [added]));
    for (const part of ['\\---', '\\===', '\\&lt;']) expect(column).toContain(part);
    const ranges = cardWith({ questionText: '85%~90% 或 0℃~100℃' });
    expect(await written(markdownPaper({ title: null, language: 'zh' }, [ranges]))).toContain('85%\\~90% 或 0℃\\~100℃');
    expect(text).toContain('\\<script\\>');
    expect(text).toContain('\\!\\[x\\](http');
    expect(text).toContain('$\\frac{1}{2}\\lt x$');
    expect(text).not.toMatch(/^\s*# heading|^\s*- list|(?<!\\)<img/m);
    expect(text.indexOf('## Questions')).toBeLessThan(text.indexOf('## Answers and mistake notes'));
  });

  test.each(['en', 'zh'] as const)('without mistakes has answers alone, also for Anki: %s', async (language) => {
    const one = withoutMistakes(
      cardWith({ studentSolutionText: 'my error', errorTypes: ['sign'], notes: 'private', goldSolutionBrief: 'two' }, [
        { occurredAt: new Date('2026-03-04T00:00:00Z') },
      ]),
    );
    const paper = { title: null, language, withoutMistakes: true };
    const html = (await written(htmlPaper(paper, [one]))).replace(/<style>[\s\S]*?<\/style>/g, '');
    const markdown = await written(markdownPaper(paper, [one]));
    expect([html, markdown].every((text) => text.includes(language === 'en' ? 'Answers' : '答案'))).toBe(true);
    for (const text of [html, markdown, [...ankiPieces(one, language)].join('')]) {
      expect(text).toContain('two');
      expect(text).not.toMatch(/my error|sign|private|2026|mistake notes|错因/);
    }
  });

  test('in Markdown has a title of one line, and of a mistake without solution and error the date alone', async () => {
    const [bare, named] = [
      cardWith({ studentSolutionText: null }),
      cardWith({ studentSolutionText: null, errorTypes: ['sign'] }),
    ];
    const text = await written(markdownPaper({ title: 'Week 9\nfractions', language: 'en' }, [bare, named]));
    expect(text).toMatch(/^# Week 9 fractions\n\n/);
    expect(text).toMatch(/\*\*Mistake\*\* 2026-03-01\n/);
    expect(text).toContain('**Mistake** 2026-03-01: (sign)');
  });

  describe('of cards with Markdown tables', () => {
    const table = '读表：\n| 时间 $t$ | $|x|$ |\n|:--|--:|\n| 1 | <b>a \\| b</b> |\n| 2 |';
    const card = cardWith(
      { questionText: table, choices: ['$|a|$', 'c | d'], goldSolutionBrief: table, notes: table },
      [{ wrongSolution: table.slice(4) }],
    );

    test.each(['en', 'zh'] as const)('in HTML has them as tables, also in answers: %s', async (language) => {
      const html = await written(htmlPaper({ title: null, language }, [card]));
      expect(html.match(/<table /g)).toHaveLength(4);
      expect(html.match(/<th>[^<]*<span class="katex">/g)).toHaveLength(8);
      expect(html.match(/<td>&lt;b&gt;a \| b&lt;\/b&gt;<\/td><\/tr><tr><td>2<\/td><td><\/td><\/tr>/g)).toHaveLength(4);
      expect(html).toContain('</table>\nA. <span class="katex">');
      expect(html).toContain('B. c | d<');
      expect(html).not.toContain('--:');
    });

    test('in HTML limits tall formulas to a page, in all cells together', async () => {
      const row = '|$\\rule{1em}{20em}$'.repeat(10);
      const questionText = `|a${'|a'.repeat(9)}\n${'|-'.repeat(10)}\n${row}`;
      const html = await written(htmlPaper({ title: null, language: 'zh' }, [cardWith({ questionText })]));
      expect(html.match(/<td><code>/g)).toHaveLength(7);
    });

    test('in Markdown has tables of their own, whose cells are divided by no bar of a formula or word', async () => {
      const markdown = await written(markdownPaper({ title: null, language: 'zh' }, [card]));
      const lines = [
        '| 时间 $t$ | $\\vert x\\vert$ |',
        '| --- | --- |',
        '| 1 | \\<b\\>a \\| b\\</b\\> |',
        '| 2 |  |',
        '',
      ];
      const indented = lines.map((line) => (line === '' ? '' : `   ${line}`)).join('\n');
      expect(markdown.split(`\n\n${indented}\n`)).toHaveLength(5);
      expect(markdown).toContain('B. c \\| d');
      const norm = cardWith({ questionText: '|$\\|a\\|$|\n|-|\n|$$b$$|' });
      expect(await written(markdownPaper({ title: null, language: 'zh' }, [norm]))).toContain('| $\\Vert a\\Vert$ |');
    });

    test('for Anki has them as tables in one line', () => {
      const line = [...ankiPieces(card, 'zh')].join('');
      expect(line.match(/\n/g)).toHaveLength(1);
      expect(line.match(/<table /g)).toHaveLength(4);
      expect(line).toContain('<th>时间 \\(t\\)</th><th>\\(|x|\\)</th>');
      expect(line).toContain('</table><br>A. \\(|a|\\)<br>B. c | d\t');
    });
  });

  test('in Markdown has a formula of several lines in one, where no line begins a list', async () => {
    const questionText = '$\\begin{cases}x\n- y=1\\\\\n2\\end{cases}$';
    const text = await written(markdownPaper({ title: null, language: 'en' }, [cardWith({ questionText })]));
    expect(text).toContain('$\\begin{cases}x - y=1\\\\ 2\\end{cases}$');
  });
});
