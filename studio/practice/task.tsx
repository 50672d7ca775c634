import { useEffect, useRef, useState } from 'preact/hooks';
import { newKey } from '../api/client.js';
import { useWording } from '../app/i18n.js';
import { useRights } from '../app/session.js';
import { Files } from '../cards/attachments.js';
import type { CardWithFiles } from '../cards/current-cards.js';
import type { AttemptInput } from '../generated/operations.js';
import { TextArea } from '../ui/fields.js';
import { focusWhenLost } from '../ui/focus.js';
import { CardFacts, Choices, Tags } from '../ui/labels.js';
import { MathText } from '../ui/math-text.js';
import { useKeys } from '../ui/use-keys.js';
import { Hints, MAX_HINTS } from './hints.js';

export interface Task {
  readonly card: CardWithFiles;
  /** The due card that `card` stands in for. */
  readonly reviewOf: string | null;
  /** Why it comes. */
  readonly about: string | null;
  /** 0 .. 1 */
  readonly successProbability: number;
}

/** A day: as much as the gateway takes. */
const MAX_DURATION_MS = 86_400_000;

/**
 * The question of a card, hints, its solution, and whether the student was right. H, Space, 1 and 2 do it by the
 * keyboard.
 */
export function TaskView({ task, onAttempt }: { task: Task; onAttempt: (attempt: AttemptInput) => void }) {
  const { t, percent } = useWording();
  const { write } = useRights();
  const { card, reviewOf, about, successProbability } = task;
  const [hints, setHints] = useState(0);
  const [revealed, setRevealed] = useState(false);
  const [answer, setAnswer] = useState('');
  const [begun] = useState({ key: newKey(), at: Date.now() });
  const tookMs = useRef(0);
  /** Fewer than `hints` where there are no more, or before they are loaded. */
  const hintsShown = useRef(0);
  /** Null until the first one is asked for and they are loaded. */
  const [hintsLeft, setHintsLeft] = useState<number | null>(null);
  const article = useRef<HTMLElement>(null);
  const reveal = (): void => {
    // The clock may have been set back meanwhile.
    tookMs.current = Math.min(MAX_DURATION_MS, Math.max(0, Date.now() - begun.at));
    setRevealed(true);
  };
  const hint = (): void => setHints((count) => Math.min(MAX_HINTS, count + 1));
  const judge = (correct: boolean): void => {
    if (!write) return;
    onAttempt({
      key: begun.key,
      cardId: card.id,
      reviewOf,
      correct,
      hints: hintsShown.current,
      durationMs: tookMs.current,
      answer: answer.trim() || null,
    });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: with the solution as with the question
  useEffect(() => focusWhenLost(article.current), [revealed]);
  useKeys((key, event) => {
    if (key === 'h' && !revealed) hint();
    else if (key === ' ' && !revealed && !/^(BUTTON|A|SUMMARY|INPUT)$/.test((event.target as HTMLElement).tagName)) {
      event.preventDefault();
      reveal();
    } else if (revealed && (key === '1' || key === '2')) judge(key === '2');
  });
  return (
    <article class="box task" data-card={card.id} ref={article} tabIndex={-1} aria-label={t('practice.question')}>
      <p class="task-facts">
        <CardFacts card={card} />
        <span class="detail" title={t('practice.probability.about')}>
          {t('practice.probability', { percent: percent(successProbability) })}
        </span>
      </p>
      {about !== null && <p class="detail">{about}</p>}
      <div class="card-text task-question">
        <MathText text={card.questionText} />
      </div>
      <Files attachments={card.attachments.filter(({ kind }) => kind === 'QUESTION')} />
      <Choices choices={card.choices} />
      {/* Always there: readers announce what appears in it. */}
      <div aria-live="polite">
        {hints > 0 && (
          <Hints
            card={card}
            count={hints}
            onShown={(count, left) => {
              if (!revealed) hintsShown.current = count;
              setHintsLeft(left);
            }}
          />
        )}
      </div>
      <TextArea
        label={t('practice.answer')}
        rows={2}
        maxLength={2_000}
        value={answer}
        readOnly={revealed}
        onInput={setAnswer}
      />
      {revealed ? (
        <>
          <Solution card={card} />
          {!write && <p class="notice notice-warning">{t('practice.readOnly')}</p>}
          <p class="actions judge-own">
            <button type="button" class="wrong-answer" disabled={!write} onClick={() => judge(false)}>
              <kbd>1</kbd> {t('practice.wrong')}
            </button>
            <button type="button" class="right-answer" disabled={!write} onClick={() => judge(true)}>
              <kbd>2</kbd> {t('practice.right')}
            </button>
          </p>
        </>
      ) : (
        <p class="actions">
          <button type="button" aria-disabled={hintsLeft === 0 || hints === MAX_HINTS} onClick={hint}>
            <kbd>H</kbd>{' '}
            {hintsLeft === null
              ? t('practice.hint')
              : t(hintsLeft === 0 ? 'practice.hint.none' : 'practice.hint.left', { count: hintsLeft })}
          </button>
          <button type="button" class="primary" onClick={reveal}>
            <kbd>{t('key.space')}</kbd> {t('practice.reveal')}
          </button>
        </p>
      )}
    </article>
  );
}

function Solution({ card }: { card: CardWithFiles }) {
  const { t } = useWording();
  const texts = [
    ['field.goldSolutionBrief', card.goldSolutionBrief],
    ['field.studentSolutionText', card.studentSolutionText],
    ['field.notes', card.notes],
  ] as const;
  return (
    <div class="solution">
      {card.goldSolutionBrief === null && <p class="detail">{t('practice.noSolution')}</p>}
      {texts.map(([key, text]) =>
        text === null || text === '' ? null : (
          <section key={key}>
            <h2>{t(key)}</h2>
            <div class="card-text">
              <MathText text={text} />
            </div>
          </section>
        ),
      )}
      <Files attachments={card.attachments.filter(({ kind }) => kind !== 'QUESTION')} />
      <Tags topicTags={card.topicTags} errorTypes={card.errorTypes} />
    </div>
  );
}
