import { z } from 'zod';
import { EVIDENCE_VERDICTS, TUTORING_MODES } from '../tutoring.js';
import { optional, parse, parserOf } from './parse.js';
import { name } from './scalars.js';

const answerCase = z
  .strictObject({
    id: name(200),
    text: optional(z.string(), null),
    cardId: optional(z.string(), null),
    mode: optional(z.enum(TUTORING_MODES), 'EXPLAIN'),
    /** How much evidence the notebook has; null: not labelled. */
    evidence: optional(z.enum(EVIDENCE_VERDICTS), null),
  })
  .refine(({ text, cardId }) => (text === null) !== (cardId === null), 'must have either text or cardId');

/** A question to the tutor with a label, as a line of a file of answer cases. */
export type AnswerCase = Readonly<z.output<typeof answerCase>>;

export const parseAnswerCase = parserOf<AnswerCase>(answerCase);

/** A card and a case made of one dialogue of a public set. */
export interface PublicDialogue {
  /** Fields of CreateCardInput. */
  readonly card: object;
  readonly case: AnswerCase;
}

const mathDial = z.looseObject({
  qid: z.union([z.string(), z.number()]),
  question: z.string(),
  ground_truth: z.string(),
  student_incorrect_solution: z.string(),
});

const mrBench = z.looseObject({
  conversation_id: z.union([z.string(), z.number()]),
  conversation_history: z.string(),
  Ground_Truth_Solution: z.string(),
});

/** Public sets of tutoring dialogues that can be loaded. */
export const PUBLIC_SETS = ['mathdial', 'mrbench'] as const;
export type PublicSet = (typeof PUBLIC_SETS)[number];

/** Parses an entry of MathDial (a line of `train.jsonl`) or of MRBench (an entry of its JSON list). BadInputError. */
export function parseDialogue(set: PublicSet, value: unknown, where: string): PublicDialogue {
  if (set === 'mathdial') {
    const { qid, question, ground_truth, student_incorrect_solution } = parse(mathDial, value, where);
    return dialogue(`mathdial-${qid}`, question, ground_truth, student_incorrect_solution);
  }
  const { conversation_id, conversation_history, Ground_Truth_Solution } = parse(mrBench, value, where);
  // Bridge has no solution for many of its dialogues.
  const solution = /^\s*(?:not available|n\/?a)?\s*$/i.test(Ground_Truth_Solution) ? null : Ground_Truth_Solution;
  return dialogue(`mrbench-${conversation_id}`, conversation_history, solution, null);
}

function dialogue(id: string, question: string, reference: string | null, wrong: string | null): PublicDialogue {
  const safeId = id.replace(/[^\w.:-]/g, '-').slice(0, 100);
  const card = {
    id: safeId,
    subject: 'math',
    difficulty: 3,
    questionText: question.trim(),
    ...(wrong !== null && wrong.trim() !== '' && { studentSolutionText: wrong.trim() }),
    ...(reference !== null && { goldSolutionBrief: reference.trim() }),
  };
  const labelled = reference === null ? null : 'ENOUGH';
  return { card, case: { id: safeId, text: null, cardId: safeId, mode: 'HINT_2', evidence: labelled } };
}
