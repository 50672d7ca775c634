/**
 * What does each part of the text analysis and of the default settings contribute?
 *
 *     npm run bench -- ablation CARDS.jsonl GOLDEN.jsonl [CARDS.jsonl GOLDEN.jsonl ...] [--train]
 *
 * The files are those of `npm run bench -- quality`. Each row is the default search with one change; changes of the
 * text analysis apply to the lexical lanes and the label model only. Prints, as a Markdown table, nDCG@10 / MRR over
 * all queries and, in brackets, the differences to the default; `*` marks a difference whose 95 % bootstrap interval
 * excludes 0. `--train`: uses only the even lines, for choosing what to keep.
 */
import { Jieba } from '@node-rs/jieba';
import type { ProfileSettings } from '../src/domain/search.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { figure } from '../src/evaluation/profiles.js';
import { compare, mean } from '../src/evaluation/statistics.js';
import { type Analyse, analyserOf, isFormulaTerm, termWeight } from '../src/lexical/terms.js';
import type { Engine } from '../src/search/engine.js';
import { BUILTIN_SETTINGS, requestBy } from '../src/search/profile.js';
import { formulaShapes } from '../src/text/formula-shapes.js';
import { readJiebaFile } from '../src/text/jieba-files.js';
import { type Lexeme, lexemes } from '../src/text/lexemes.js';
import { STOP_WORDS } from '../src/text/stop-words.js';
import { Tokenizer } from '../src/text/tokenizer.js';
import { cardsOf } from './card-files.js';
import { type Case, casesOf, pairsOf, type Quality, qualityOf } from './golden-quality.js';
import { memoryWorld } from './memory-engine.js';
import { benchmark, type Run, readArguments } from './run.js';

const HITS = 50;

const tokenizer = new Tokenizer();
const plainJieba = Jieba.withDict(readJiebaFile('dict.txt'));
const analyse = analyserOf(tokenizer);

/** The analyser with other words for a run of Chinese. */
function withChinese(wordsOf: (run: string) => readonly string[]): Analyse {
  const tokensOf = (parts: readonly Lexeme[]): string[] =>
    parts.flatMap((part, at) =>
      part.kind === 'han'
        ? wordsOf(part.text).filter((word) => !STOP_WORDS.has(word))
        : tokenizer.tokensOf(part, parts[at - 1], parts[at + 1]),
    );
  return analyserOf({ tokensOfAll: tokensOf });
}

const bigrams = (run: string): readonly string[] =>
  run.length < 2 ? [run] : Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2));

/** The analyser without the terms that have this weight: see `termWeight`. */
function without(isLeftOut: (term: string) => boolean): Analyse {
  return (text) => analyse(text).filter((term) => !isLeftOut(term));
}

const shapes = (text: string): number => formulaShapes(lexemes(text)).length;

/** `A. 3  B. 4  C. 5`, from the first option to the end. */
const OPTIONS = /\n?\s*A[.．、][\s\S]*B[.．、][\s\S]*$/;
const BLANKS = /\\uline\{[^}]*\}|(?:\\textasciitilde|~)+|_{2,}/g;

/** Characters of a shortened text. */
const SHORT = 200;

/** What is changed: the settings of the search, or the terms of texts. */
type Ablation =
  | { readonly name: string; readonly settings: Partial<ProfileSettings> }
  | { readonly name: string; readonly analyse: Analyse };

const ABLATIONS: readonly Ablation[] = [
  { name: 'by default', settings: {} },
  { name: 'no label lanes', settings: { inferredWeight: 0 } },
  { name: 'label lanes at .95', settings: { inferredWeight: 0.95 } },
  { name: 'no dense lanes', settings: { lexicalShare: 1 } },
  { name: 'lexical lanes at .05', settings: { lexicalShare: 0.05 } },
  { name: 'no votes of the nearest cards', settings: { voteShare: 0 } },
  { name: 'label profiles at a quarter', settings: { profilePower: 1 } },
  { name: 'fusion by ranks', settings: { fusion: 'RRF' } },
  { name: 'fusion of relative scores', settings: { fusion: 'RELATIVE' } },
  { name: 'no shorter words within Chinese words', analyse: withChinese((run) => tokenizer.segments(run)) },
  { name: 'no school terms', analyse: withChinese((run) => plainJieba.cutForSearch(run, true)) },
  { name: 'no school terms, no unknown words', analyse: withChinese((run) => plainJieba.cutForSearch(run, false)) },
  { name: 'character bigrams for Chinese words', analyse: withChinese(bigrams) },
  { name: 'no single Chinese characters', analyse: without((term) => /^\p{Script=Han}$/u.test(term)) },
  { name: 'no numbers', analyse: without((term) => /^\d/.test(term)) },
  // Not a number by its first character, so that it weighs as much as a word.
  {
    name: 'numbers weigh as words',
    analyse: (text) => analyse(text).map((term) => (/^\d/.test(term) ? `n${term}` : term)),
  },
  {
    name: 'no signs and variables',
    analyse: without((term) => !/^\d/.test(term) && isFormulaTerm(term) && termWeight(term, 0) < 0.5),
  },
  { name: 'no formula shapes', analyse: (text) => analyse(text).slice(0, analyse(text).length - shapes(text)) },
  { name: 'no options', analyse: (text) => analyse(text.replace(OPTIONS, '')) },
  { name: 'no blanks', analyse: (text) => analyse(text.replace(BLANKS, ' ')) },
  { name: `${SHORT} characters a text`, analyse: (text) => analyse(text.slice(0, SHORT)) },
  { name: 'each term once a text', analyse: (text) => [...new Set(analyse(text))] },
];

async function measure(
  run: Run,
  engine: Engine,
  cases: readonly Case[],
  ablation: Ablation,
): Promise<readonly Quality[]> {
  const settings = { ...BUILTIN_SETTINGS, ...('settings' in ablation ? ablation.settings : {}) };
  const values: Quality[] = [];
  for await (const { operation, text, relevant } of run.each(ablation.name, 'queries', cases)) {
    const request = requestBy(settings, { operation, subject: { kind: 'text', text }, filter: {} }, HITS);
    const { hits } = await engine.search(DEFAULT_VIEWER, request, run.signal);
    values.push(
      qualityOf(
        relevant,
        hits.map(({ card }) => card.id),
      ),
    );
  }
  return values;
}

/** `.339 / .341 (-.012 / +.003*)` */
function cell(values: readonly Quality[], byDefault: readonly Quality[]): string {
  const parts = (['ndcg', 'mrr'] as const).map((measured) => {
    const own = values.map((one) => one[measured]);
    const { value, supported } = compare(
      byDefault.map((one) => one[measured]),
      own,
    );
    const change = `${value < 0 ? '' : '+'}${figure(value)}${supported ? '*' : ''}`;
    return { mean: figure(mean(own)), change };
  });
  const means = parts.map((part) => part.mean).join(' / ');
  return values === byDefault ? means : `${means} (${parts.map(({ change }) => change).join(' / ')})`;
}

const { files, options } = readArguments({ train: false }, 2);
const collections = pairsOf(files);
await benchmark(async (run) => {
  const rows: Record<string, string>[] = ABLATIONS.map(({ name }) => ({ '': name }));
  for (const [cardFile, goldenFile] of collections) {
    const cards = await cardsOf(cardFile);
    const all = await casesOf(goldenFile);
    const cases = options.train ? all.filter((_, place) => place % 2 === 0) : all;
    const world = await memoryWorld(cards, { hasColumns: false });
    let byDefault: readonly Quality[] | undefined;
    for (const [row, ablation] of ABLATIONS.entries()) {
      const changed = 'analyse' in ablation ? { hasColumns: false, analyse: ablation.analyse } : null;
      const { engine } = changed === null ? world : await memoryWorld(cards, changed);
      const values = await measure(run, engine, cases, ablation);
      byDefault ??= values;
      Object.assign(rows[row] ?? {}, { [goldenFile]: cell(values, byDefault) });
    }
  }
  run.report('ablation', rows);
});
