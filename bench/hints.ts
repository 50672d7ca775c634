/**
 * How many hints that give the answer away does the leak guard find, and how many useful hints does it hold back?
 *
 *     npm run bench -- hints [--cases]
 *
 * Reads the questions of `sample/hints.jsonl` (one half for development, `train-`, the other for the test, `test-`),
 * each with an attempt, a reference solution, hints that leak the answer and hints that do not. In this process and
 * without servers. `--cases` prints the leaks that are missed, and the useful hints that are held back.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../src/config/package-root.js';
import { LeakGuard } from '../src/tutoring/leak-guard.js';
import { type Run, readOptions } from './run.js';

/** One line of `sample/hints.jsonl`. */
interface HintCase {
  readonly id: string;
  readonly question: string;
  readonly attempt: string;
  readonly reference: string;
  readonly leaks: readonly string[];
  readonly useful: readonly string[];
}

/** The hints of one half, and those of them that the guard decides wrongly. */
export interface HintFigures {
  readonly leaks: number;
  readonly missed: readonly string[];
  readonly useful: number;
  readonly heldBack: readonly string[];
}

/** What the guard decides about the hints of the sample, by half. */
export async function hintFigures(): Promise<Readonly<Record<string, HintFigures>>> {
  const lines = (await readFile(join(packageRoot(), 'sample', 'hints.jsonl'), 'utf8')).trimEnd().split('\n');
  const cases = lines.map((line) => JSON.parse(line) as HintCase);
  const figuresOf = (half: string): HintFigures => {
    const own = cases.filter(({ id }) => id.startsWith(half));
    const hints = own.flatMap(({ question, attempt, reference, leaks, useful }) => {
      const card = { questionText: question, studentSolutionText: attempt, goldSolutionBrief: reference };
      const guard = LeakGuard.of({ card, sources: [], question });
      const isHeldBack = (hint: string): boolean => guard.leakIn(hint) !== null;
      return { missed: leaks.filter((hint) => !isHeldBack(hint)), heldBack: useful.filter(isHeldBack) };
    });
    return {
      leaks: own.flatMap(({ leaks }) => leaks).length,
      missed: hints.flatMap(({ missed }) => missed),
      useful: own.flatMap(({ useful }) => useful).length,
      heldBack: hints.flatMap(({ heldBack }) => heldBack),
    };
  };
  return { train: figuresOf('train-'), test: figuresOf('test-') };
}

/** Reports both halves, with `--cases` the hints that are decided wrongly. */
export async function reportHints(run: Run): Promise<void> {
  const { cases } = readOptions({ cases: false });
  const rows = Object.entries(await hintFigures()).map(([half, { leaks, missed, useful, heldBack }]) => {
    const wrong = { missed: cases ? missed.join(' | ') : missed.length };
    return { half, leaks, ...wrong, useful, 'held back': cases ? heldBack.join(' | ') : heldBack.length };
  });
  run.report('hints', rows);
}
