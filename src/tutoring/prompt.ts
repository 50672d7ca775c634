import type { ContextSource, ErrorHypothesis, Prompt, TutoringContext } from '../domain/tutoring.js';
import { fenced, harmless } from './fence.js';
import type { Words } from './words.js';

export interface PromptInput extends Pick<TutoringContext, 'mode' | 'reason' | 'hypotheses' | 'question'> {
  readonly words: Words;
  readonly sources: readonly Omit<ContextSource, 'id' | 'spans' | 'revealsAnswer'>[];
  readonly askedId: string | null;
}

/** The prompt in Markdown. Texts of cards, their labels and origins included, stand in code blocks alone. Pure. */
export function promptOf(input: PromptInput): Prompt {
  const { mode, words, reason, sources, hypotheses, question, askedId } = input;
  const { headings } = words;
  const rules = words.rules.map((rule, place) => `${place + 1}. ${rule}`).join('\n');
  const section = (heading: string, ...texts: readonly string[]): string => [`# ${heading}`, ...texts].join('\n\n');
  const blocks = sources.map((source) => sourceBlock(source, words, source.card.id === askedId));
  const errors = hypotheses.map((hypothesis) => errorLine(hypothesis, words)).join('\n');
  return {
    rules: [
      section(headings.role, words.role),
      section(headings.rules, rules),
      section(headings.task, words.tasks[mode]),
    ].join('\n\n'),
    material: [
      section(headings.sources, reason, ...(blocks.length > 0 ? blocks : [words.none])),
      ...(errors === '' ? [] : [section(headings.errors, fenced(errors))]),
      section(headings.question, fenced(harmless(question))),
    ].join('\n\n'),
  };
}

export function joinedPrompt({ rules, material }: Prompt): string {
  return `${rules}\n\n${material}`;
}

export function sourceBlock(source: PromptInput['sources'][number], words: Words, isAsked: boolean): string {
  const { label, card, text, relevance, verdict } = source;
  const why = isAsked
    ? words.asked
    : `${words.verdicts[verdict]}${words.comma}${words.relevance} ${relevance.toFixed(2)}`;
  const origin = card.source === null ? '' : `\n${words.texts.ORIGIN}${words.colon}${card.source}`;
  const heading = `## [${label}] ${why}${words.comma}${card.occurredAt.toISOString().slice(0, 10)}`;
  return `${heading}\n\n${fenced(harmless(text + origin))}`;
}

function errorLine({ errorType, posterior, votes }: ErrorHypothesis, words: Words): string {
  const name = harmless(errorType).replace(/\s+/g, ' ');
  return `${name}${words.colon}${posterior.toFixed(2)}${words.comma}${words.cards(votes)}`;
}
