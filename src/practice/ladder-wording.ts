import type { Language } from '../domain/language.js';
import { FIRST_RUNG, type Rung, type TrainingVerdict } from './ladder.js';

export type LadderFrom =
  | { readonly kind: 'card'; readonly cardId: string }
  | { readonly kind: 'topic' | 'error'; readonly label: string };

const REASONS: Readonly<Record<Language, Readonly<Record<TrainingVerdict, (label: string | null) => string>>>> = {
  en: {
    SAME_QUESTION_NEW_SKIN: () => 'the same question with other numbers or in another story',
    SAME_TRAP: (label) => (label === null ? 'the same error in another question' : `the same error: ${label}`),
    SAME_IDEA: (label) => (label === null ? 'the same idea' : `the same idea: ${label}`),
  },
  zh: {
    SAME_QUESTION_NEW_SKIN: () => '换皮题：同一道题，换了情境或数字',
    SAME_TRAP: (label) => (label === null ? '同类错误，另一道题' : `同类错误：${label}`),
    SAME_IDEA: (label) => (label === null ? '同一知识点' : `同一知识点：${label}`),
  },
};

const WORDS: Readonly<Record<Language, Readonly<Record<'down' | 'first', string>>>> = {
  en: { down: 'easier', first: 'to begin with' },
  zh: { down: '降一级难度', first: '从这里开始' },
};

/** Why a rung is part of the ladder; `label` is what it shares with the mistake. */
export function reasonOf(rung: Rung, place: number, label: string | null, language: Language): string {
  const parts = [REASONS[language][rung.verdict](label)];
  if (rung.isLevelDown) parts.push(WORDS[language].down);
  if (place === 0) parts.push(WORDS[language].first);
  return parts.join(language === 'zh' ? '；' : ', ');
}

export interface LadderFacts {
  readonly from: LadderFrom;
  readonly wanted: number;
  readonly rungs: readonly Rung[];
  /** Cards that were practised today and would have been rungs. */
  readonly doneToday: number;
  /** Whether the mistake, where it is a card, has topic tags and error types. */
  readonly hasTopics: boolean;
  readonly hasErrors: boolean;
}

/** What the notebook lacks for a good ladder; nothing where it lacks nothing. */
export function missingOf(facts: LadderFacts, language: Language): readonly string[] {
  const { from, wanted, rungs, doneToday, hasTopics, hasErrors } = facts;
  const en = language === 'en';
  const missing: string[] = [];
  if (rungs.length < wanted) {
    missing.push(
      en
        ? `the notebook has ${rungs.length} of ${wanted} cards that train this`
        : `需要 ${wanted} 道题，错题本里只有 ${rungs.length} 道能练`,
    );
    if (doneToday > 0) {
      missing.push(en ? `${doneToday} more were practised today` : `另有 ${doneToday} 道今天已经练过`);
    }
    if (from.kind === 'card' && !hasTopics) {
      missing.push(
        en ? 'the card has no topic tags: with them more can be found' : '这张卡片没有知识点标签，补上后能找到更多题',
      );
    }
    if (from.kind === 'card' && !hasErrors) {
      missing.push(
        en
          ? 'the card has no error types: with them cards with the same error can be found'
          : '这张卡片没有错因标签，补上后能找到同类错误',
      );
    }
  }
  const [first] = rungs;
  if (first !== undefined && first.probability < FIRST_RUNG.low) {
    missing.push(en ? 'no card is easy enough to begin with' : '没有足够容易的题作为起点');
  }
  if (
    first !== undefined &&
    first.probability > FIRST_RUNG.high &&
    rungs.every(({ probability }) => probability > FIRST_RUNG.high)
  ) {
    missing.push(en ? 'no card is hard enough: add harder ones' : '题目都偏容易，可以补充更难的题');
  }
  return missing;
}
