import { useState } from 'preact/hooks';
import { useAction } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { useApi } from '../app/session.js';
import type { AttachmentInput, AttachmentKind } from '../generated/operations.js';
import { ErrorNotice } from '../ui/notices.js';
import { type Attachment, Shown } from './attachments.js';

/** As a card may have. */
const MAX_ATTACHMENTS = 10;

const KINDS: readonly AttachmentKind[] = ['QUESTION', 'STUDENT_WORK', 'SOLUTION', 'OTHER'];
const TYPES = 'image/png,image/jpeg,image/gif,image/webp,application/pdf';

/** Attachments as the API takes them. */
export function attachmentInputs(attachments: readonly Attachment[]): AttachmentInput[] {
  return attachments.map(({ kind, altText, url, sha256 }) => ({
    kind,
    altText: altText?.trim() ? altText : null,
    ...(sha256 === null ? { url } : { sha256 }),
  }));
}

/**
 * `owner`: whose card it is; null for a new one. Files are uploaded when they are chosen, and belong to the card when
 * it is saved.
 */
export function AttachmentEditor({
  attachments,
  owner,
  onChange,
}: {
  attachments: readonly Attachment[];
  owner: string | null;
  onChange: (attachments: readonly Attachment[]) => void;
}) {
  const { t } = useWording();
  const api = useApi();
  const [link, setLink] = useState('');
  const add = (one: Attachment): void => onChange([...attachments.filter(({ url }) => url !== one.url), one]);
  const upload = useAction(async (file: File) => {
    const query = owner === null ? '' : `?${new URLSearchParams({ owner })}`;
    const headers = { 'content-type': file.type };
    const response = await api.fetch(`attachments${query}`, { method: 'POST', headers, body: file });
    const { attachment } = (await response.json()) as { attachment: Omit<Attachment, 'kind' | 'altText'> };
    add({ ...attachment, kind: 'QUESTION', altText: null });
  });
  const set = (place: number, part: Partial<Attachment>): void =>
    onChange(attachments.map((one, at) => (at === place ? { ...one, ...part } : one)));
  const isFull = attachments.length >= MAX_ATTACHMENTS;
  return (
    <fieldset class="attachments">
      <legend>{t('attachments.title')}</legend>
      <ul>
        {attachments.map((one, place) => (
          <li key={one.url}>
            <Shown attachment={one} />
            <div class="field-row">
              <label class="field">
                <span>{t('attachments.kind')}</span>
                <select
                  value={one.kind}
                  onChange={(event) => set(place, { kind: event.currentTarget.value as AttachmentKind })}
                >
                  {KINDS.map((kind) => (
                    <option key={kind} value={kind}>
                      {t(`attachmentKind.${kind}`)}
                    </option>
                  ))}
                </select>
              </label>
              <label class="field">
                <span>{t('attachments.alt')}</span>
                <input
                  maxLength={1000}
                  value={one.altText ?? ''}
                  onInput={(event) => set(place, { altText: event.currentTarget.value })}
                />
              </label>
              <button type="button" onClick={() => onChange(attachments.filter((_, at) => at !== place))}>
                {t('attachments.remove')}
              </button>
            </div>
          </li>
        ))}
      </ul>
      <label class="field">
        <span>{t('attachments.upload')}</span>
        <input
          type="file"
          accept={TYPES}
          disabled={isFull || upload.running}
          onChange={(event) => {
            const input = event.currentTarget;
            const [file] = input.files ?? [];
            if (file !== undefined)
              void upload.run(file).then(() => {
                input.value = '';
              });
          }}
        />
      </label>
      <div class="field-row">
        <label class="field">
          <span>{t('attachments.link')}</span>
          <input type="url" maxLength={2000} value={link} onInput={(event) => setLink(event.currentTarget.value)} />
        </label>
        <button
          type="button"
          disabled={isFull || !/^https?:\/\/\S+$/i.test(link.trim())}
          onClick={() => {
            add({ kind: 'OTHER', altText: null, url: link.trim(), sha256: null, contentType: null, bytes: null });
            setLink('');
          }}
        >
          {t('attachments.addLink')}
        </button>
      </div>
      <ErrorNotice error={upload.error} />
    </fieldset>
  );
}
