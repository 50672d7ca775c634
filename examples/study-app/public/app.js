import { h, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Add } from './add.js';
import { ask, MISTAKE, NO_SUBJECT, NOTEBOOK, SEARCH } from './api.js';
import { Cards, MathText, PAUSE_MS, Solutions, speak, Tags, t, textOf, useAnswer, Waiting } from './parts.js';
import { Today } from './today.js';

/** All mistakes, the newest first, or those that a search finds. */
function Notebook() {
  const [typed, setTyped] = useState('');
  const [pages, setPages] = useState([]);
  const text = typed.trim();
  const load = (signal) => (text ? ask(SEARCH, { text }, { signal, expected: NO_SUBJECT }) : ask(NOTEBOOK, {}, { signal }));
  const { data, error, reload } = useAnswer(load, [text], text ? PAUSE_MS : 0);
  const loaded = data?.cards ? [data.cards, ...pages] : [];
  const last = loaded.at(-1)?.pageInfo;
  const [failed, setFailed] = useState(null);
  const more = () => ask(NOTEBOOK, { after: last.endCursor }).then(({ cards }) => setPages([...pages, cards]), setFailed);
  const hits = data?.hybridSearch?.hits ?? loaded.flatMap(({ nodes }) => nodes.map((card) => ({ card })));
  const label = t('搜题目、知识点或错因', 'Search questions, topics, errors');
  return h('div', { class: 'notebook' },
    h('h1', null, t('错题本', 'Notebook'), data?.cards && h('small', null, t(`${data.cards.totalCount} 道`, `${data.cards.totalCount}`))),
    h('input', { type: 'search', value: typed, maxLength: 2_000, placeholder: label, 'aria-label': label,
      onInput: (event) => setTyped(textOf(event)) }),
    error || !data ? h(Waiting, { error, reload }) : h(Cards, { hits,
      none: text ? t('没有找到，换个说法试试。', 'Nothing found. Try other words.') : undefined }),
    failed && h(Waiting, { error: failed }),
    !error && last?.hasNextPage && h('button', { class: 'wide', onClick: more }, t('再看一些', 'More')));
}

/** One mistake, with what trains it. */
function Mistake({ id }) {
  const { data, error, reload } = useAnswer((signal) => ask(MISTAKE, { id }, { signal, expected: NO_SUBJECT }), [id]);
  if (error || !data) return h(Waiting, { error, reload });
  if (!data.card) return h('p', { class: 'none' }, t('没有这道错题。', 'There is no such mistake.'));
  const similar = data.similarQuestions?.hits ?? [];
  const trap = data.byError?.hits.filter(({ card }) => !similar.some((one) => one.card.id === card.id)).slice(0, 4) ?? [];
  const part = (title, why, hits) => h('section', null, h('h2', null, title, h('small', null, why)), h(Cards, { hits }));
  return h('div', null, h('h1', null, t('错题', 'Mistake')),
    h('article', { class: 'card' }, h(MathText, { text: data.card.questionText, class: 'question' }),
      h(Tags, { card: data.card }), h(Solutions, { card: data.card })),
    h('div', { class: 'columns' },
      part(t('相似的题', 'Similar questions'), t('再练一道，看是不是真会了', 'try another one like it'), similar),
      part(t('同类错误', 'Same error'), t('题目不像，错因一样', 'other questions, same error'), trap)));
}

const PAGES = { today: Today, add: Add, notebook: Notebook };
const TABS = () => [['today', '◷', t('今日复习', 'Today')], ['add', '＋', t('记错题', 'Add')], ['notebook', '☰', t('错题本', 'Notebook')]];

function App() {
  const [hash, setHash] = useState(location.hash);
  const [, setRound] = useState(0);
  useEffect(() => {
    const moved = () => { setHash(location.hash); scrollTo(0, 0); };
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  const [, name = 'today', id = ''] = hash.split('/');
  const switchTo = t('English', '中文');
  return [
    h('header', { class: 'top' },
      h('a', { class: 'brand', href: '#/today' }, h('img', { src: '/icon.svg', alt: '', width: 28 }), document.title),
      h('nav', null, TABS().map(([page, sign, words]) => h('a', { key: page, href: `#/${page}`,
        'aria-current': page === name ? 'page' : undefined }, h('i', { 'aria-hidden': true }, sign), words))),
      h('button', { class: 'plain', onClick: () => { speak(switchTo === 'English'); setRound((round) => round + 1); } }, switchTo)),
    h('main', null, name === 'card' ? h(Mistake, { key: id, id }) : h(PAGES[name] ?? Today, { key: name })),
  ];
}

speak();
render(h(App, null), document.body);
