import type { ComponentChildren } from 'preact';
import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { SuggestTags } from '../generated/operations.js';
import { DIFFICULTIES, QUALITY } from '../ui/card-values.js';
import { Form, Select, TextArea, TextInput } from '../ui/fields.js';
import { NamedInput } from '../ui/named-input.js';
import { TagInput } from '../ui/tag-input.js';
import { type Draft, TEXT_FIELDS, TEXT_ROWS, type TextField } from './draft.js';

/** Enough to suggest by. */
const LEAST_TEXT = 4;

export function DraftForm({
  draft,
  onChange,
  onSubmit,
  problem,
  warning,
  children,
}: {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onSubmit: () => void;
  /** The field that was refused, as the API names it. */
  problem: string | null;
  /** Below the question, where it is seen on a phone too. */
  warning: ComponentChildren;
  children: ComponentChildren;
}) {
  const { t } = useWording();
  const set = (part: Partial<Draft>): void => onChange({ ...draft, ...part });
  const written = `${draft.questionText}\n${draft.studentSolutionText}`.trim().slice(0, 2_000);
  const { data } = useQuery(SuggestTags, written.length < LEAST_TEXT ? null : { text: written }, { debounceMs: 300 });
  const suggested = (perspective: 'CONCEPT' | 'ERROR') =>
    (data?.suggestTags ?? [])
      .filter((one) => one.perspective === perspective)
      .map(({ tag, cards }) => ({ tag, about: t('tags.cards', { count: cards }) }));
  const area = (field: TextField) => (
    <TextArea
      key={field}
      label={field === 'questionText' ? `${t(`field.${field}`)} *` : t(`field.${field}`)}
      rows={TEXT_ROWS[field]}
      required={field === 'questionText'}
      aria-invalid={problem?.endsWith(field) ?? false}
      value={draft[field]}
      onInput={(text) => set({ [field]: text })}
    />
  );
  return (
    <Form class="draft" onSubmit={onSubmit}>
      {area('questionText')}
      <TextArea
        label={t('field.choices')}
        rows={2}
        placeholder={t('field.choices.example')}
        aria-invalid={problem?.includes('choices') ?? false}
        value={draft.choices.join('\n')}
        onInput={(lines) => set({ choices: lines === '' ? [] : lines.split('\n') })}
      />
      {warning}
      {TEXT_FIELDS.filter((field) => field !== 'questionText' && field !== 'notes').map(area)}
      <TagInput
        label={t('field.topicTags')}
        values={draft.topicTags}
        suggestions={suggested('CONCEPT')}
        onChange={(topicTags) => set({ topicTags })}
      />
      <TagInput
        label={t('field.errorTypes')}
        values={draft.errorTypes}
        suggestions={suggested('ERROR')}
        onChange={(errorTypes) => set({ errorTypes })}
      />
      <div class="field-row">
        <NamedInput
          kind="subject"
          label={`${t('field.subject')} *`}
          required
          value={draft.subject}
          onChange={(subject) => set({ subject })}
        />
        <NamedInput
          kind="grade"
          label={t('field.grade')}
          placeholder={t('field.grade.example')}
          value={draft.grade}
          onChange={(grade) => set({ grade })}
        />
        <Select
          label={t('field.difficulty')}
          value={draft.difficulty}
          values={DIFFICULTIES}
          onChange={(difficulty) => set({ difficulty })}
        />
        <Select
          label={t('field.qualityGrade')}
          value={draft.qualityGrade}
          values={['', ...QUALITY]}
          nameOf={(grade) => (grade === '' ? '–' : t(`quality.${grade}`))}
          onChange={(qualityGrade) => set({ qualityGrade })}
        />
      </div>
      <TextInput label={t('field.source')} maxLength={500} value={draft.source} onInput={(source) => set({ source })} />
      {area('notes')}
      {children}
    </Form>
  );
}
