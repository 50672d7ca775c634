import { h } from 'preact';
import { useState } from 'preact/hooks';
import { ask, HINT, RECORD, SET_ZONE, TODAY } from './api.js';
import { Cards, MathText, Solutions, Tags, t, useAnswer, Waiting } from './parts.js';

/** Where the student's days begin and end. */
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What is due today, one card at a time. */
export function Today() {
  const [next, setNext] = useState('');
  const load = async (signal) => {
    const day = await ask(TODAY, {}, { signal });
    if (day.practiceSettings.timeZone === ZONE) return day;
    return ask(SET_ZONE, { zone: ZONE }).catch(() => null).then(() => ask(TODAY, {}, { signal }));
  };
  const { data, error, reload } = useAnswer(load, []);
  if (error || !data) return h(Waiting, { error, reload });
  const { nodes: [due], doneToday: done, totalCount: left, dueReviews } = data.dueCards;
  const again = Math.max(0, data.reviewForecast[0].reviews - dueReviews); // Answered wrong, or for the first time: due in some minutes.
  return h('div', { class: 'today' },
    h('header', null, h('h1', null, t('今日复习', 'Today')),
      h('small', null, t(`已练 ${done} · 还剩 ${left}`, `${done} done · ${left} left`)),
      h('progress', { value: done, max: done + left || 1, 'aria-label': t('今日进度', 'Progress of today') })),
    due ? h(Review, { key: `${due.card.id} ${due.review?.due}`, due, recorded: (at) => { setNext(at); reload(); } })
      : h('div', { class: 'finished' }, again === 0 && h('b', null, '✓'),
        h('h2', null, again ? t('先练到这里', 'All done for now') : t('今天的都练完了', 'All done for today')),
        h('p', null, again ? t(`还有 ${again} 道，几分钟后再练一遍。`, `${again} to come again in some minutes.`)
          : t('休息一下，或者记一道新的错题。', 'Take a rest, or add a new mistake.')),
        again > 0 && h('button', { class: 'main', onClick: reload }, t('接着练', 'Go on'))),
    next && h('p', { class: 'none', role: 'status' }, t('上一题下次复习：', 'The last one comes again: '), when(next)));
}

/** The time where it is within a day, else the day. */
const when = (at) => new Date(at).toLocaleString(document.documentElement.lang,
  Date.parse(at) - Date.now() < 86_400_000 ? { timeStyle: 'short' } : { dateStyle: 'medium' });

function Review({ due: { card, successProbability }, recorded }) {
  // One key for one attempt: sent again after a broken connection, it is stored once.
  const [{ key, at }] = useState(() => ({ key: crypto.randomUUID(), at: Date.now() }));
  const [shown, setShown] = useState(false);
  const [hint, setHint] = useState(null);
  const [state, setState] = useState({ busy: false, error: null });
  const run = (work) => {
    setState({ busy: true, error: null });
    work().then(() => setState({ busy: false, error: null }), (error) => setState({ busy: false, error }));
  };
  const takeHint = () => run(async () => setHint((await ask(HINT, { id: card.id })).tutoringContext));
  const record = (correct) => run(async () => {
    const durationMs = Math.min(Math.max(0, Date.now() - at), 86_400_000); // The clock may have been set back.
    const attempt = { key, cardId: card.id, correct, durationMs, hints: hint ? 1 : 0, recordOccurrence: true };
    const [{ outcome, review }] = (await ask(RECORD, { attempt }, { isSafe: true })).recordAttempts;
    if (!review && outcome !== 'CARD_NOT_FOUND') throw new Error(outcome);
    recorded(review?.due ?? ''); // There is none if the card was deleted meanwhile.
  });
  const button = (name, act, words) => h('button', { key: words, class: name, disabled: state.busy, onClick: act }, words);
  return h('div', null,
    h('article', { class: 'card' }, h(MathText, { text: card.questionText, class: 'question' }),
      h(Tags, { card: shown ? card : { ...card, errorTypes: [] } }), // The error would give the answer away.
      h('small', null, t('做对的可能 ', 'Chance to be right: '), Math.round(successProbability * 100), '%'),
      shown && h(Solutions, { card })),
    hint && !shown && h(Hint, { hint, card }), state.error && h(Waiting, state),
    h('div', { class: 'actions' }, shown
      ? [button('red', () => record(false), t('又错了', 'Wrong again')),
        button('main', () => record(true), t('做对了', 'I was right'))]
      : [!hint && button('', takeHint, t('给点提示', 'Hint')),
        button('main', () => setShown(true), t('看答案', 'Show the solution'))]));
}

/** What to beware of, and another mistake whose solution is known: evidence for a tutor that helps without one. */
function Hint({ hint, card }) {
  const errors = hint.hypotheses.slice(0, 2).map(({ errorType }) => errorType).join(t('、', ', '));
  const other = hint.sources.find(({ card: { id, goldSolutionBrief }, verdict }) =>
    id !== card.id && goldSolutionBrief && verdict !== 'DUPLICATE');
  return h('aside', { role: 'status' }, errors && h('p', null, t('当心：', 'Beware of: '), h('b', null, errors)),
    other && h('p', null, t('想想这道题是怎么做的：', 'Remember how this one goes:')), other && h(Cards, { hits: [other] }),
    !errors && !other && h('p', null, t('这道题还没有提示。', 'There is no hint for this one yet.')));
}
