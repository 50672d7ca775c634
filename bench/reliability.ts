/**
 * Is a label with the posterior .8 right in eight of ten cases?
 *
 *     npm run bench -- reliability CARDS.jsonl [CARDS.jsonl ...]
 *
 * Up to 400 labelled cards of each collection are used as queries with their own text, as if they were not in it: by
 * `hybridSearch` with the question for cards with topic tags, by `byError` with question and wrong solution for cards
 * with error types. A label in the receipt is right if the card carries it. For ten classes of posteriors: the number
 * of labels, their mean posterior, and the share that is right. Expected calibration error (ECE): the mean difference
 * of the two, weighted by the number of labels. The same as a reliability diagram in Mermaid: bars are the shares, the
 * line the means.
 */
import { basename } from 'node:path';
import { LABEL_PERSPECTIVES, type LabelPerspective, type SearchOperation } from '../src/domain/search.js';
import { shuffled } from '../src/domain/shuffled.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import { gradesByLabels, labelledCards, NOTEBOOK_QUERIES } from '../src/evaluation/learning/notebook-queries.js';
import { figure } from '../src/evaluation/profiles.js';
import { seededRandom } from '../src/evaluation/random.js';
import { mean, RESAMPLING } from '../src/evaluation/statistics.js';
import { BUILTIN_SETTINGS, requestBy } from '../src/search/profile.js';
import { cardsOf } from './card-files.js';
import { memoryWorld, stored } from './memory-engine.js';
import { benchmark, type Row, type Run, range, readArguments } from './run.js';

const MOST_QUERIES = 400;
const CLASSES = 10;

const OPERATIONS: Readonly<Record<LabelPerspective, SearchOperation>> = { concept: 'hybridSearch', error: 'byError' };

interface Named {
  readonly posterior: number;
  readonly right: boolean;
}

async function namedLabels(run: Run, file: string, perspective: LabelPerspective): Promise<readonly Named[]> {
  const cards = new Map((await cardsOf(file)).map((card) => [`${card.id}`, stored(card)]));
  const { engine, index } = await memoryWorld([...cards.values()], { hasColumns: false });
  const operation = OPERATIONS[perspective];
  const ids = labelledCards(index).filter((id) => gradesByLabels(index, perspective, id, []).size > 0);
  const asking = shuffled(ids.length, seededRandom(RESAMPLING.seed)).slice(0, MOST_QUERIES);
  const named: Named[] = [];
  for await (const place of run.each(`${file}, ${perspective}`, 'queries', asking)) {
    const id = ids[place] as string;
    const card = cards.get(id);
    const text = card === undefined ? null : NOTEBOOK_QUERIES[operation].textOf(card);
    if (text === null) continue;
    const subject = { kind: 'text', text, leaveOut: id } as const;
    const request = requestBy({ ...BUILTIN_SETTINGS, thresholdSteps: [0] }, { operation, subject, filter: {} }, 1);
    const { receipt } = await engine.search(DEFAULT_VIEWER, request, run.signal);
    const own = new Set(index.profiles[perspective].labelsOf(id));
    for (const { label, posterior, perspective: of } of receipt.inferredLabels)
      if (of === perspective) named.push({ posterior, right: own.has(label) });
  }
  return named;
}

interface PosteriorClass {
  readonly range: string;
  readonly labels: number;
  readonly mean: number;
  readonly right: number;
}

/** Those that have labels. */
function classesOf(named: readonly Named[]): readonly PosteriorClass[] {
  return range(CLASSES).flatMap((place) => {
    const [low, high] = [place / CLASSES, (place + 1) / CLASSES];
    const own = named.filter(({ posterior }) => posterior >= low && (posterior < high || place === CLASSES - 1));
    if (own.length === 0) return [];
    const right = own.filter((one) => one.right).length / own.length;
    return [
      { range: `${low} to ${high}`, labels: own.length, mean: mean(own.map(({ posterior }) => posterior)), right },
    ];
  });
}

function diagramOf(name: string, classes: readonly PosteriorClass[]): string {
  const numbers = (key: 'mean' | 'right'): string => classes.map((one) => one[key].toFixed(2)).join(', ');
  return [
    '```mermaid',
    'xychart-beta',
    `  title "${name}"`,
    `  x-axis "posterior" [${classes.map((one) => `"${one.range}"`).join(', ')}]`,
    '  y-axis "share that is right" 0 --> 1',
    `  bar [${numbers('right')}]`,
    `  line [${numbers('mean')}]`,
    '```',
  ].join('\n');
}

function show(run: Run, name: string, named: readonly Named[]): void {
  const classes = classesOf(named);
  run.report(
    name,
    classes.map(({ range: posterior, labels, mean: expected, right }): Row => {
      return { posterior, labels, mean: figure(expected), right: figure(right) };
    }),
  );
  const error = classes.reduce((sum, one) => sum + (one.labels / named.length) * Math.abs(one.mean - one.right), 0);
  console.log(`\nECE ${figure(error)}\n\n${diagramOf(name, classes)}`);
}

await benchmark(async (run) => {
  for (const file of readArguments({}, 1).files) {
    for (const perspective of LABEL_PERSPECTIVES) {
      const named = await namedLabels(run, file, perspective);
      if (named.length > 0) show(run, `${basename(file)}, ${perspective}`, named);
    }
  }
});
