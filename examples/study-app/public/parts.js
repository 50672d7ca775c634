import katex from 'katex';
import { h } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export const PAUSE_MS = 350;
export const textOf = (event) => event.target.value;
const FORMULA = /\$\$([^$]+)\$\$|\$(?!\s)((?:[^$\\\n]|\\[^\n])+?)(?<!\s)\$(?!\d)/g; // None in "costs $5 and $6".
const NAMES = {
  DUPLICATE: ['原题', 'same question'], SAME_QUESTION_NEW_SKIN: ['换皮题', 'other numbers or story'],
  SAME_TRAP: ['同类错误', 'same error'], SAME_IDEA: ['同知识点', 'same idea'], math: ['数学', 'Maths'], physics: ['物理', 'Physics'],
  chemistry: ['化学', 'Chemistry'], biology: ['生物', 'Biology'], chinese: ['语文', 'Chinese'], english: ['英语', 'English'],
};

let english = localStorage.getItem('language') === 'en';
/** One of the two, by the language that was chosen. */
export const t = (zh, en) => (english ? en : zh);
/** A subject or verdict in words; another one as it is. */
export const nameOf = (code) => (NAMES[code] ? t(NAMES[code][0], NAMES[code][1]) : code);
export function speak(inEnglish = english) {
  english = inEnglish;
  localStorage.setItem('language', t('zh', 'en'));
  document.documentElement.lang = t('zh-CN', 'en');
  document.title = t('错题本', 'Mistakes');
}

/** A text with its formulas. */
export function MathText({ text, class: name = '' }) {
  const place = useRef(null);
  useLayoutEffect(() => {
    const parts = [];
    let at = 0;
    for (const found of text.matchAll(FORMULA)) {
      const span = document.createElement('span');
      katex.render(found[1] ?? found[2], span, { displayMode: Boolean(found[1]), throwOnError: false, maxExpand: 200 });
      parts.push(text.slice(at, found.index), span);
      at = found.index + found[0].length;
    }
    place.current.replaceChildren(...parts, text.slice(at));
  }, [text]);
  return h('div', { ref: place, class: `math ${name}` });
}

/** What `load` answers, anew when one of `inputs` changes, after a pause; an answer that is no longer wanted is dropped. */
export function useAnswer(load, inputs, pauseMs = 0) {
  const [state, setState] = useState({ data: null, error: null });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const wanted = new AbortController();
    const tell = (change) => wanted.signal.aborted || setState((before) => ({ ...before, error: null, ...change }));
    const run = () => load(wanted.signal).then((data) => tell({ data }), (error) => tell({ error }));
    const timer = setTimeout(run, pauseMs);
    return () => { clearTimeout(timer); wanted.abort(); };
  }, [...inputs, round]);
  return { ...state, reload: () => setRound((before) => before + 1) };
}

/** What stands where an answer is not there yet, or failed. */
export function Waiting({ error, reload = null }) {
  if (!error) return h('p', { class: 'none', 'aria-busy': true }, '…');
  return h('p', { class: 'failure', role: 'alert' }, t('没有成功：', 'That failed: '), error.message,
    reload && h('button', { class: 'plain', onClick: reload }, t('再试一次', 'Try again')));
}

export function Tags({ card, verdict = null }) {
  return h('div', { class: 'tags' },
    verdict && verdict !== 'RELATED' && h('span', { class: 'verdict' }, nameOf(verdict)),
    h('span', null, nameOf(card.subject), card.grade && ` · ${card.grade}`),
    card.topicTags.map((tag) => h('span', { key: tag, class: 'topic' }, tag)),
    card.errorTypes.map((tag) => h('span', { key: tag, class: 'error' }, tag)),
    card.occurrences > 1 && h('span', { class: 'error' }, t(`做错 ${card.occurrences} 次`, `wrong ${card.occurrences} times`)));
}

/** Cards, each of which leads to its page. */
export function Cards({ hits, none = t('还没有。多记几道就有了。', 'None yet. They come with more mistakes.') }) {
  if (hits.length === 0) return h('p', { class: 'none' }, none);
  return h('div', { class: 'list' }, hits.map(({ card, verdict }) =>
    h('a', { key: card.id, class: 'card link', href: `#/card/${card.id}` },
      h(MathText, { text: card.questionText, class: 'clamp' }), h(Tags, { card, verdict }))));
}

export function Solutions({ card: { studentSolutionText: wrong, goldSolutionBrief: right } }) {
  return h('div', { class: 'solutions' },
    wrong && h('section', { class: 'wrong' }, h('h2', null, t('我的错解', 'My wrong solution')), h(MathText, { text: wrong })),
    h('section', { class: 'right' }, h('h2', null, t('参考解法', 'Right solution')),
      right ? h(MathText, { text: right }) : h('p', null, t('这道题还没有记参考解法。', 'None is noted yet.'))));
}
