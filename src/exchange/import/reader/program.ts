/** Reads one file for the gateway that forked it and sent a {@link ReaderSpec}; `watch.ts` ends it when its budget is spent. */
import { Worker } from 'node:worker_threads';
import { slicesOf } from '../../../domain/async.js';
import { asError, BadInputError } from '../../../domain/errors.js';
import { tellingChars } from '../../../domain/occurrence.js';
import { type CardDraft, type Folded } from '../../../domain/ports/notebooks.js';
import { questionJudge } from '../../duplicates/judge.js';
import { FileChunks } from './chunks.js';
import { type Answers, type Question, type ReaderSpec, type Reply, SLICE_CHARS } from './protocol.js';

/** A header or a value may be as long as a row: a refusal that names it is stored and shown. */
const MAX_PROBLEM_CHARS = 1_000;

process.once('message', serve);

function serve({ file, limits }: ReaderSpec): void {
  new Worker(new URL('./watch.js', import.meta.url), { workerData: limits }).unref();
  const chunks = new FileChunks(file, questionJudge);
  let cards: CardDraft[] = [];
  let drafts: Iterator<readonly CardDraft[]> = [].values();
  const answer: { readonly [K in keyof Answers]: (question: Question & { kind: K }) => Promise<Answers[K]> } = {
    check: () => chunks.check(),
    next: () => chunks.next(),
    view: async (view) => {
      cards.push(...view.cards);
      return null;
    },
    fold: async ({ ids }) => {
      const folded: Folded = chunks.fold({ cards, ...ids });
      cards = [];
      drafts = slicesOf(folded.drafts, ({ content, occurrences }) => tellingChars(content, occurrences), SLICE_CHARS);
      return { counts: folded.counts, problems: folded.problems };
    },
    drafts: async () => {
      const next = drafts.next();
      return next.done === true ? null : next.value;
    },
  };
  process.on('disconnect', () => process.exit());
  process.on('message', async (question: Question) => {
    try {
      tell({ kind: 'answer', answer: await answer[question.kind](question as never) });
    } catch (thrown) {
      if (thrown instanceof BadInputError)
        tell({ kind: 'refused', problem: thrown.problem.slice(0, MAX_PROBLEM_CHARS) });
      else tell({ kind: 'failed', message: asError(thrown).message, stack: asError(thrown).stack ?? '' });
    }
  });
}

function tell(reply: Reply): void {
  process.send?.(reply, () => undefined);
}
