import { h } from 'preact';
import { useState } from 'preact/hooks';
import { ADD_MISTAKE, ask, SUGGESTIONS } from './api.js';
import { MathText, nameOf, PAUSE_MS, t, textOf, useAnswer, Waiting } from './parts.js';

const SUBJECTS = ['math', 'physics', 'chemistry', 'biology', 'chinese', 'english'];
const EMPTY = { question: '', wrong: '', right: '', subject: 'math', difficulty: 3, topics: [], errors: [] };
let kept = EMPTY; // What was typed stays while the student looks at another page.
// The same mistake, sent again after a broken connection, is stored once: a card by its key, an occurrence by its time.
const newSending = () => ({ key: crypto.randomUUID(), occurredAt: new Date().toISOString() });

/** Enter a mistake: tags are suggested and duplicates found while the student types. */
export function Add() {
  const [form, setForm] = useState(kept);
  const [{ key, occurredAt }, setSent] = useState(newSending);
  const [state, setState] = useState({ busy: false, error: null });
  const text = form.question.trim();
  // A suggestion that fails is no reason to stop: the form works without it.
  const { data } = useAnswer(async (signal) => (text ? ask(SUGGESTIONS, { text }, { signal }) : null), [text], PAUSE_MS);
  const set = (change) => { setForm((before) => (kept = { ...before, ...change })); setSent(newSending()); };
  const save = async (onDuplicate) => {
    setState({ busy: true, error: null });
    const input = {
      questionText: form.question, studentSolutionText: form.wrong.trim() || null, goldSolutionBrief: form.right.trim() || null,
      subject: form.subject, difficulty: form.difficulty, topicTags: form.topics, errorTypes: form.errors, occurredAt,
    };
    try {
      const { createCard } = await ask(ADD_MISTAKE, { input, onDuplicate }, onDuplicate === 'KEEP' ? { key } : { isSafe: true });
      kept = EMPTY;
      location.hash = `#/card/${createCard.id}`;
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  const [nearest] = data?.similarQuestions.hits ?? [];
  const same = nearest?.verdict === 'DUPLICATE';
  const suggested = (kind) => (data?.suggestTags ?? []).filter((one) => one.perspective === kind).map(({ tag }) => tag);
  const area = (name, title, rows, props = {}) => h('label', { class: 'field' }, h('span', null, title),
    h('textarea', { ...props, rows, value: form[name], maxLength: 5_000, onInput: (event) => set({ [name]: textOf(event) }) }),
    form[name].includes('$') && h(MathText, { text: form[name], class: 'preview' }));
  const placeholder = t('照着题目打字，公式写在 $ 之间：$\\frac{1}{2}$', 'Type it; formulas go between $: $\\frac{1}{2}$');
  return h('form', { onSubmit: (event) => { event.preventDefault(); void save('KEEP'); } },
    h('h1', null, t('记错题', 'Add a mistake')),
    h('div', { class: 'columns' },
      h('div', null, area('question', t('题目', 'Question'), 4, { placeholder }),
        (same || nearest?.verdict === 'SAME_QUESTION_NEW_SKIN') && h('aside', { class: same ? 'same' : '', role: 'status' },
          h('b', null, same ? t('这道题你记过了', 'You have this question already')
            : t('你记过一道换了数字的', 'You have this one with other numbers')),
          h(MathText, { text: nearest.card.questionText, class: 'clamp' }),
          h('a', { class: 'button', href: `#/card/${nearest.card.id}` }, t('看看', 'See it')), ' ',
          same && h('button', { type: 'button', class: 'red', disabled: state.busy, onClick: () => save('MERGE') },
            t('又错了，记在原题上', 'Wrong again: note it there'))),
        area('wrong', t('我的错解', 'My wrong solution'), 2), area('right', t('参考解法', 'Right solution'), 2)),
      h('div', null,
        h(Chips, { title: t('学科', 'Subject'), all: SUBJECTS, chosen: [form.subject], pick: (subject) => set({ subject }) }),
        h(Chips, { title: t('难度', 'Difficulty'), all: [1, 2, 3, 4, 5], chosen: [form.difficulty],
          pick: (difficulty) => set({ difficulty }) }),
        h(TagField, { title: t('知识点', 'Topics'), name: 'topics', form, set, suggested: suggested('CONCEPT') }),
        h(TagField, { title: t('错因', 'What went wrong'), name: 'errors', form, set, suggested: suggested('ERROR') }))),
    state.error && h(Waiting, state),
    h('button', { class: 'main wide', disabled: state.busy || !text },
      same ? t('还是另记一道', 'Save as another one') : t('记下来', 'Save')));
}

function Chips({ title, all, chosen, pick, children = null }) {
  return h('fieldset', { class: 'field' }, h('legend', null, title), h('div', { class: 'chips' }, all.map((value) => h('button',
    { key: value, type: 'button', 'aria-pressed': chosen.includes(value), onClick: () => pick(value) }, nameOf(value))), children));
}

/** Chosen tags, suggested ones, and a field for one's own. */
function TagField({ title, name, form, set, suggested }) {
  const tags = form[name];
  const toggle = (tag) => set({ [name]: tags.includes(tag) ? tags.filter((one) => one !== tag) : [...tags, tag] });
  const own = (event) => {
    const tag = textOf(event).trim();
    event.target.value = '';
    if (tag && !tags.includes(tag)) toggle(tag);
  };
  const enter = (event) => { if (event.key === 'Enter' && !event.isComposing) { event.preventDefault(); own(event); } };
  return h(Chips, { title, all: [...new Set([...tags, ...suggested])], chosen: tags, pick: toggle },
    h('input', { maxLength: 100, placeholder: t('自己写', 'your own'), 'aria-label': title, onBlur: own, onKeyDown: enter }));
}
