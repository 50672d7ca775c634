import { isHint } from '../domain/tutoring.js';
import { escaped, page } from '../evaluation/reports/page.js';
import { interval } from '../evaluation/reports/report-wording.js';
import { type Estimate, estimate } from '../evaluation/statistics.js';
import type { AnswerMetrics, RecordedAnswer } from '../tutoring/answer-metrics.js';

export interface MeasuredAnswer {
  readonly answer: RecordedAnswer;
  readonly metrics: AnswerMetrics;
}

/** One line of the report: a mean over some answers. */
interface ReportLine {
  readonly name: string;
  /** Null without any answer that it applies to. */
  readonly estimate: Estimate | null;
  readonly answers: number;
}

export function answerReport(measured: readonly MeasuredAnswer[]): readonly ReportLine[] {
  const line = (name: string, pick: (one: MeasuredAnswer) => number | null): ReportLine => {
    const values = measured.map(pick).filter((value) => value !== null);
    return { name, estimate: values.length === 0 ? null : estimate(values), answers: values.length };
  };
  const refused = ({ refusal }: RecordedAnswer): boolean => refusal === 'NO_EVIDENCE' || refusal === 'INSUFFICIENT';
  return [
    line('citation precision', ({ metrics }) => metrics.citationPrecision),
    line('citation recall', ({ metrics }) => metrics.citationRecall),
    line('sources used', ({ metrics }) => metrics.sourcesUsed),
    line('refusal precision: refusals that are labelled THIN or NONE', ({ answer }) =>
      refused(answer) && answer.label !== null ? Number(answer.label !== 'ENOUGH') : null,
    ),
    line('refusal recall, labelled NONE', ({ answer }) => (answer.label === 'NONE' ? Number(refused(answer)) : null)),
    line('refusal recall, labelled THIN', ({ answer }) => (answer.label === 'THIN' ? Number(refused(answer)) : null)),
    line('leak rate of hints that were shown', ({ metrics }) => metrics.leak),
    line('first hints that the guard held back', ({ answer }) =>
      isHint(answer.mode) && answer.failure === null && (answer.text !== '' || answer.refusal === 'LEAK')
        ? Number(answer.wasAskedAgain || answer.refusal === 'LEAK')
        : null,
    ),
    line('failures', ({ answer }) => Number(answer.failure !== null)),
    line('tokens of the prompt', ({ answer }) => (answer.text === '' ? null : answer.promptTokens)),
    line('tokens of the answer', ({ answer }) => (answer.text === '' ? null : answer.answerTokens)),
    line('ms to the first text', ({ answer }) => answer.firstMs),
    line('ms in all', ({ answer }) => (answer.text === '' ? null : answer.totalMs)),
  ];
}

/** `citation recall   0.512 [0.470, 0.551]   40 answers` */
export function reportText(lines: readonly ReportLine[]): string {
  const width = Math.max(...lines.map(({ name }) => name.length));
  return lines
    .map(({ name, estimate, answers }) => `${name.padEnd(width)}  ${shown(estimate)}  ${answers} answers`)
    .join('\n');
}

function shown(value: Estimate | null): string {
  return value === null ? '-' : interval(value);
}

/** The report as one page; answers are shown as text. */
export function reportPage(title: string, lines: readonly ReportLine[], measured: readonly MeasuredAnswer[]): string {
  const row = (cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`;
  const head = (cells: readonly string[]): string => `<tr>${cells.map((cell) => `<th>${cell}</th>`).join('')}</tr>`;
  const summary = lines.map(({ name, estimate, answers }) => row([name, shown(estimate), String(answers)]));
  const decimals = (value: number | null): string => (value === null ? '-' : value.toFixed(2));
  const answers = measured.map(({ answer, metrics }) =>
    row([
      answer.id,
      answer.mode,
      answer.label ?? '-',
      answer.failure ?? answer.refusal ?? 'answered',
      decimals(metrics.citationPrecision),
      decimals(metrics.citationRecall),
      answer.text,
    ]),
  );
  const body = `<h1>${escaped(title)}</h1>
<p>Means with 95 % bootstrap intervals over ${measured.length} cases. A claim counts as supported if half of its terms are in the
sources that it cites.</p>
<table>${head(['', 'mean [interval]', 'answers'])}${summary.join('')}</table>
<h2>Answers</h2>
<table>${head(['case', 'mode', 'label', 'outcome', 'precision', 'recall', 'answer'])}${answers.join('')}</table>
`;
  return page(title, body);
}
