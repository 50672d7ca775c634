import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAnswer } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { href } from '../app/router.js';
import { useTitle } from '../app/title.js';
import type { Attachment } from '../cards/attached.js';
import { Files } from '../cards/attachments.js';
import { type CardWithFiles, currentCards, selectionNow } from '../cards/current-cards.js';
import { Check, Select, TextInput } from '../ui/fields.js';
import { Choices } from '../ui/labels.js';
import { MathText, PartsLoading } from '../ui/math-text.js';
import { Empty, ErrorNotice, Loading } from '../ui/notices.js';
import { useSelection } from '../ui/selection.js';

interface Options {
  readonly title: string;
  readonly answers: boolean;
  /** The student whose mistakes are printed; a paper for several students has those of none. */
  readonly mistakesOf: string | null;
  readonly space: number;
}

/** The cards that were picked, as they are now, as a paper: what is shown is what is printed. */
export function PaperPage() {
  const { t } = useWording();
  const { cards, set } = useSelection();
  const [options, setOptions] = useState<Options>({ title: '', answers: true, mistakesOf: null, space: 2 });
  // In whatever order they are.
  const ids = [...cards.keys()].sort();
  const current = useAnswer(JSON.stringify(ids), (api, signal) => currentCards(api, ids, signal));
  const now = selectionNow(cards.keys(), current.data ?? new Map<string, CardWithFiles>());
  const list = [...now.values()];
  const [owner, ...others] = new Set(list.map((card) => card.owner));
  const isLoaded = !current.loading && current.error === null;
  const partsLoading = useRef(0);
  const [isWhole, setIsWhole] = useState(true);
  const onLoading = useCallback((change: number) => {
    partsLoading.current += change;
    // Only of the first and the last part is the page drawn again.
    setIsWhole(partsLoading.current === 0);
  }, []);
  const title = options.title.trim() || t('paper.title');
  const change = (part: Partial<Options>): void => setOptions({ ...options, ...part });
  // A browser names the file of a printed page by it.
  useTitle(title);
  // Before this page can be left.
  useLayoutEffect(() => {
    // Some were deleted or merged.
    if (isLoaded && [...cards.keys()].some((id) => !now.has(id))) set(now);
  });
  if (cards.size === 0) {
    return (
      <div class="page">
        <Empty title={t('paper.none')} about={t('paper.none.about')} alone>
          <a class="button" href={href('cards')}>
            {t('nav.cards')}
          </a>
        </Empty>
      </div>
    );
  }
  const move = (place: number, to: number): void => {
    const next = [...list];
    const [card] = next.splice(place, 1);
    if (card === undefined || to < 0 || to >= list.length) return;
    next.splice(to, 0, card);
    set(new Map(next.map((one) => [one.id, one])));
  };
  return (
    <div class="page paper-page">
      <h1 class="sr-only">{t('selection.paper')}</h1>
      <form class="box no-print actions paper-options" onSubmit={(event) => event.preventDefault()}>
        <TextInput
          label={t('paper.heading')}
          value={options.title}
          placeholder={t('paper.title')}
          onInput={(heading) => change({ title: heading })}
        />
        <Check label={t('paper.answers')} checked={options.answers} onChange={(answers) => change({ answers })} />
        {owner !== undefined && others.length === 0 && (
          <Check
            label={t('paper.wrong')}
            checked={options.mistakesOf === owner}
            onChange={(wrong) => change({ mistakesOf: wrong ? owner : null })}
          />
        )}
        {owner !== undefined && others.length > 0 && (
          <Select
            label={t('paper.wrongOf')}
            value={options.mistakesOf ?? ''}
            values={['', owner, ...others]}
            nameOf={(one) => one || t('paper.wrongOf.none')}
            onChange={(one) => change({ mistakesOf: one || null })}
          />
        )}
        <label class="check">
          <span>{t('paper.space')}</span>
          <input
            type="range"
            min={0}
            max={8}
            value={options.space}
            onInput={(event) => change({ space: Number(event.currentTarget.value) })}
          />
        </label>
        <button type="button" class="primary" disabled={!isLoaded || !isWhole} onClick={printWithFonts}>
          {t('paper.print')}
        </button>
      </form>
      <div class="no-print">
        <ErrorNotice error={current.error} retry={current.reload} />
        {list.length === 0 && current.loading && <Loading />}
      </div>
      {list.length > 0 && (
        <PartsLoading.Provider value={onLoading}>
          <section class="sheet" aria-label={title}>
            <h2>{title}</h2>
            <p class="sheet-name">
              <span>{t('paper.name')} ______________</span> <span>{t('paper.date')} ______________</span>
            </p>
            <ol>
              {list.map((card, place) => (
                <li key={card.id} style={{ paddingBottom: `${options.space * 1.5}rem` }}>
                  <div class="card-text">
                    <MathText text={card.questionText} />
                  </div>
                  <Files attachments={ofKind(card, 'QUESTION')} />
                  <Choices choices={card.choices} />
                  <span class="no-print sheet-tools">
                    {(
                      [
                        { sign: '↑', key: 'paper.up', to: place - 1 },
                        { sign: '↓', key: 'paper.down', to: place + 1 },
                      ] as const
                    ).map(({ sign, key, to }) => (
                      // Disabled at the ends, it would lose the focus there.
                      <button
                        key={key}
                        type="button"
                        aria-disabled={list[to] === undefined}
                        aria-label={t(key, { place: place + 1 })}
                        onClick={() => move(place, to)}
                      >
                        {sign}
                      </button>
                    ))}
                  </span>
                </li>
              ))}
            </ol>
          </section>
          {(options.answers || list.some((card) => card.owner === options.mistakesOf)) && (
            <Answers cards={list} options={options} />
          )}
        </PartsLoading.Provider>
      )}
    </div>
  );
}

/** A browser prints a formula whose font is still being loaded as blanks. */
async function printWithFonts(): Promise<void> {
  await document.fonts.ready;
  print();
}

const ofKind = ({ attachments }: CardWithFiles, wanted: Attachment['kind']): readonly Attachment[] =>
  attachments.filter(({ kind }) => kind === wanted);

function Answers({ cards, options }: { cards: readonly CardWithFiles[]; options: Options }) {
  const { t, named } = useWording();
  const showsMistakes = (card: CardWithFiles): boolean => card.owner === options.mistakesOf;
  return (
    <section class="sheet sheet-answers" aria-label={t('paper.answersTitle')}>
      <h2>{t('paper.answersTitle')}</h2>
      <ol>
        {cards.map((card) => (
          <li key={card.id}>
            {options.answers && (
              <div class="card-text">
                {card.goldSolutionBrief === null ? t('paper.noAnswer') : <MathText text={card.goldSolutionBrief} />}
              </div>
            )}
            {options.answers && <Files attachments={ofKind(card, 'SOLUTION')} />}
            {showsMistakes(card) && card.studentSolutionText !== null && (
              <div class="card-text wrong">
                <span class="lead">{t('card.wrong')}</span> <MathText text={card.studentSolutionText} />
              </div>
            )}
            {showsMistakes(card) && <Files attachments={ofKind(card, 'STUDENT_WORK')} />}
            <p class="detail">
              {[
                named('subject', card.subject),
                ...card.topicTags,
                ...(showsMistakes(card) ? card.errorTypes : []),
                card.id,
              ].join(' · ')}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
