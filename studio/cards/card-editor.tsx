import { useRef, useState } from 'preact/hooks';
import { type ApiError, newKey } from '../api/client.js';
import { useAction, useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { href, useGoBackTo, useLeaveGuard } from '../app/router.js';
import { useApi, useRights } from '../app/session.js';
import { useTitle } from '../app/title.js';
import {
  CreateCard,
  type OnDuplicate,
  OneCard,
  SimilarQuestions,
  type SimilarQuestionsResult,
  UpdateCard,
  type UpdateCardInput,
} from '../generated/operations.js';
import { MathText } from '../ui/math-text.js';
import { Empty, ErrorNotice, QueryState } from '../ui/notices.js';
import { questionName } from '../ui/question-name.js';
import { type Attachment, attachmentInputs, rebased, sameAttachments } from './attached.js';
import { AttachmentEditor, useUpload } from './attachment-editor.js';
import { Texts } from './card-view.js';
import { Conflict } from './conflict.js';
import type { CardWithFiles } from './current-cards.js';
import { createInput, type Draft, differing, draftOf, EMPTY_DRAFT, updateInput } from './draft.js';
import { DraftForm } from './draft-form.js';

/** Loads the card, where there is one, before the form is filled with it. */
export function CardEditor({ cardId }: { cardId: string | null }) {
  const { t } = useWording();
  const query = useQuery(OneCard, cardId === null ? null : { id: cardId });
  const { data } = query;
  /** Loaded again when somebody signs in again: a card that was deleted meanwhile takes no text away. */
  const loaded = useRef(data?.card);
  loaded.current ??= data?.card;
  if (cardId === null) return <EditorOfOwner card={null} />;
  if (loaded.current) return <EditorOfOwner card={loaded.current} />;
  if (data !== null) return <Empty title={t('card.missing', { id: cardId })} alone />;
  return <QueryState query={query} />;
}

/** Only for those who may save it. Decided once: a key that may do less, entered later, takes no text away. */
function EditorOfOwner({ card }: { card: CardWithFiles | null }) {
  const { t } = useWording();
  const { write, mayChange } = useRights();
  const [isAllowed] = useState(card === null ? write : mayChange(card));
  if (isAllowed) return <Editor card={card} />;
  return (
    <Empty title={t('editor.notAllowed')} about={t('editor.notAllowed.about')} alone>
      <a class="button" href={card === null ? href('cards') : href('cards', card.id)}>
        {card === null ? t('nav.cards') : questionName(card)}
      </a>
    </Empty>
  );
}

/** A card as the form had it. */
interface Version {
  readonly draft: Draft;
  readonly attached: readonly Attachment[];
}

/** What differs from the card; empty if nothing does. */
function changesOf({ draft, attached }: Version, card: CardWithFiles): UpdateCardInput {
  const attachments = attachmentInputs(attached);
  return { ...updateInput(draft, card), ...(!sameAttachments(attached, card.attachments) && { attachments }) };
}

function duplicatesIn({ result }: SimilarQuestionsResult) {
  return result.hits.filter(({ verdict }) => verdict === 'DUPLICATE');
}

/**
 * The texts with a preview beside them, suggestions and a warning of duplicates while typing, the difference where
 * somebody was faster.
 */
function Editor({ card }: { card: CardWithFiles | null }) {
  const { t } = useWording();
  const api = useApi();
  const [base, setBase] = useState(card);
  const heading = t(base === null ? 'cards.new' : 'editor.edit');
  useTitle(`${heading} · Errata`);
  const [draft, setDraft] = useState<Draft>(card === null ? EMPTY_DRAFT : draftOf(card));
  const [attached, setAttached] = useState<readonly Attachment[]>(card?.attachments ?? []);
  const upload = useUpload(base?.owner ?? null, setAttached);
  const [theirs, setTheirs] = useState<CardWithFiles | null>(null);
  const [saved, setSaved] = useState(false);
  const goBackTo = useGoBackTo();
  const differs =
    base === null
      ? differing(draft, EMPTY_DRAFT).length > 0 || attached.length > 0
      : Object.keys(changesOf({ draft, attached }, base)).length > 0;
  useLeaveGuard((differs || upload.running) && !saved, t('editor.leave'));
  const leave = (id: string): void => {
    setSaved(true);
    goBackTo(href('cards', id));
  };

  /** Unchanged, it is sent again with its key and time: the gateway may have stored it. */
  const lastRequest = useRef<{ readonly variables: string; readonly key: string; readonly at: string } | null>(null);
  const requestWith = (given: object) => {
    const variables = JSON.stringify(given);
    if (lastRequest.current?.variables !== variables) {
      lastRequest.current = { variables, key: newKey(), at: (api.now() ?? new Date()).toISOString() };
    }
    return lastRequest.current;
  };
  /** Versions of this card that were sent: one that the gateway has is no other person's. */
  const sentVersions = useRef<readonly Version[]>([]);
  const update = async (known: CardWithFiles): Promise<void> => {
    const mine = { draft, attached };
    const input = changesOf(mine, known);
    if (Object.keys(input).length === 0) return leave(known.id);
    const change = { id: known.id, input, expectedRevision: known.revision };
    try {
      await api.runOnce(requestWith(change).key, UpdateCard, change);
    } catch (thrown) {
      sentVersions.current = [...sentVersions.current, mine];
      if ((thrown as ApiError).code !== 'CONFLICT') throw thrown;
      const { card: now } = await api.run(OneCard, { id: known.id });
      if (now === null) throw thrown;
      const wasSent = sentVersions.current.some((sent) => Object.keys(changesOf(sent, now)).length === 0);
      if (wasSent && now.revision !== known.revision) return update(now);
      setTheirs(now);
      return;
    }
    leave(known.id);
  };
  const question = draft.questionText.trim();
  const likeQuestions = base === null && question.length > 3 ? { text: question.slice(0, 2_000), topK: 3 } : null;
  const alike = useQuery(SimilarQuestions, likeQuestions, { debounceMs: 300 });
  const duplicates = likeQuestions === null || alike.data === null ? [] : duplicatesIn(alike.data);
  const save = useAction(async (_api, onDuplicate: OnDuplicate) => {
    if (base === null) {
      const attachments = attachmentInputs(attached);
      const input = { ...createInput(draft), ...(attachments.length > 0 && { attachments }) };
      // What is sent again may be stored already: the card would be taken for its own duplicate.
      const isNew = lastRequest.current?.variables !== JSON.stringify(input);
      if (isNew && onDuplicate === 'KEEP' && likeQuestions !== null && alike.loading && duplicates.length === 0) {
        // Too early for the warning, which appears now. A failed search does not keep the card from being stored.
        const found = await api.run(SimilarQuestions, likeQuestions).catch(() => null);
        if (found !== null && duplicatesIn(found).length > 0) return;
      }
      const { key, at } = requestWith(input);
      const { createCard } =
        onDuplicate === 'KEEP'
          ? await api.runOnce(key, CreateCard, { input, onDuplicate })
          : // Takes no key: an occurrence of the same time is the same one.
            await api.run(CreateCard, { input: { ...input, occurredAt: at }, onDuplicate });
      leave(createCard.id);
      return;
    }
    await update(base);
  });
  // A card that is saved before its file has arrived would be without it.
  const isBusy = save.running || upload.running;
  return (
    <>
      <div class="page-head">
        <h1>{heading}</h1>
      </div>
      {theirs !== null && base !== null ? (
        <Conflict
          base={base}
          mine={draft}
          theirs={theirs}
          onDecide={(decided) => {
            setBase(theirs);
            setDraft(decided);
            setAttached((mine) => rebased(mine, base.attachments, theirs.attachments));
            setTheirs(null);
          }}
        />
      ) : (
        <div class="editor">
          {/* What would be typed while it is saved would be lost. */}
          <fieldset disabled={save.running}>
            <DraftForm
              draft={draft}
              onChange={setDraft}
              onSubmit={() => save.run('KEEP')}
              problem={save.error?.field ?? null}
              warning={
                duplicates.length > 0 && (
                  <div class="notice notice-warning" role="status">
                    <p>
                      <strong>{t('editor.duplicate')}</strong> {t('editor.duplicate.about')}
                    </p>
                    <ul>
                      {duplicates.map(({ card: duplicate }) => (
                        <li key={duplicate.id}>
                          <a href={href('cards', duplicate.id)} target="_blank" rel="noopener">
                            <MathText text={duplicate.questionText} inline />
                          </a>
                        </li>
                      ))}
                    </ul>
                  </div>
                )
              }
            >
              <AttachmentEditor attachments={attached} upload={upload} onChange={setAttached} />
              <ErrorNotice error={save.error} />
              <p class="actions">
                <button type="submit" class="primary" disabled={isBusy || question === ''}>
                  {duplicates.length > 0 ? t('editor.saveAnyway') : t('action.save')}
                </button>
                {/* Back does not lead to the form, as after saving. */}
                <a
                  class="button"
                  href={base === null ? href('cards') : href('cards', base.id)}
                  onClick={(event) => {
                    event.preventDefault();
                    goBackTo(event.currentTarget.hash);
                  }}
                >
                  {t('action.cancel')}
                </a>
                {/* Last, and not in the warning: it appears where nobody is about to click. */}
                {duplicates.length > 0 && (
                  <button type="button" disabled={isBusy} onClick={() => save.run('MERGE')}>
                    {t('editor.merge')}
                  </button>
                )}
              </p>
            </DraftForm>
          </fieldset>
          <aside class="preview" aria-label={t('editor.preview')}>
            <h2>{t('editor.preview')}</h2>
            <Texts card={draft} />
          </aside>
        </div>
      )}
    </>
  );
}
