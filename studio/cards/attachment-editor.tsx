import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ATTACHMENT_KINDS, FILE_TYPES, MAX_ATTACHMENTS } from '../../src/domain/attachment.js';
import { useAction } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { Select, TextInput } from '../ui/fields.js';
import { ErrorNotice } from '../ui/notices.js';
import { type Attachment, fileTypeOf } from './attached.js';
import { Shown } from './attachments.js';

/** Told how the list changes: it may have changed while a file was uploaded. */
type Changed = (change: (before: readonly Attachment[]) => readonly Attachment[]) => void;

const added =
  (one: Attachment) =>
  (before: readonly Attachment[]): readonly Attachment[] => [...before.filter(({ url }) => url !== one.url), one];

/**
 * Uploads a file when it is chosen. It belongs to the card when the card is saved. `owner`: whose card it is; null for
 * a new one.
 */
export function useUpload(owner: string | null, onChange: Changed) {
  return useAction(async (api, file: File) => {
    const query = owner === null ? '' : `?${new URLSearchParams({ owner })}`;
    const headers = { 'content-type': await fileTypeOf(file) };
    const response = await api.fetch(`attachments${query}`, { method: 'POST', headers, body: file });
    const { attachment } = (await response.json()) as { attachment: Omit<Attachment, 'kind' | 'altText'> };
    onChange(added({ ...attachment, kind: 'QUESTION', altText: null }));
  });
}

export function AttachmentEditor({
  attachments,
  upload,
  onChange,
}: {
  attachments: readonly Attachment[];
  upload: ReturnType<typeof useUpload>;
  onChange: Changed;
}) {
  const { t } = useWording();
  const [link, setLink] = useState('');
  const linkField = useRef<HTMLInputElement>(null);
  // A card is not saved without a link that was typed and not added.
  useLayoutEffect(() => {
    linkField.current?.setCustomValidity(link.trim() === '' ? '' : t('attachments.linkNotAdded'));
  });
  const remove = (gone: string): void => onChange((before) => before.filter(({ url }) => url !== gone));
  const set = (url: string, part: Partial<Attachment>): void =>
    onChange((before) => before.map((one) => (one.url === url ? { ...one, ...part } : one)));
  const isFull = attachments.length >= MAX_ATTACHMENTS;
  return (
    <fieldset class="attachments">
      <legend>{t('field.attachments')}</legend>
      <ul>
        {attachments.map((one) => (
          <li key={one.url}>
            <Shown attachment={one} />
            <div class="field-row">
              <Select
                label={t('attachments.kind')}
                value={one.kind}
                values={ATTACHMENT_KINDS}
                nameOf={(kind) => t(`attachmentKind.${kind}`)}
                onChange={(kind) => set(one.url, { kind })}
              />
              <TextInput
                label={t('attachments.alt')}
                maxLength={1000}
                value={one.altText ?? ''}
                onInput={(altText) => set(one.url, { altText })}
              />
              <button type="button" onClick={() => remove(one.url)}>
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
          accept={FILE_TYPES.join(',')}
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
        <span role="status">{upload.running && t('attachments.uploading')}</span>
      </label>
      <div class="field-row">
        <label class="field">
          <span>{t('attachments.link')}</span>
          <input
            ref={linkField}
            type="url"
            maxLength={2000}
            value={link}
            onInput={(event) => setLink(event.currentTarget.value)}
          />
        </label>
        <button
          type="button"
          disabled={isFull || !/^https?:\/\/\S+$/i.test(link.trim())}
          onClick={() => {
            const url = link.trim();
            onChange(added({ kind: 'OTHER', altText: null, url, sha256: null, contentType: null }));
            setLink('');
            // The button is disabled without a link.
            linkField.current?.focus();
          }}
        >
          {t('attachments.addLink')}
        </button>
      </div>
      <ErrorNotice error={upload.error} />
    </fieldset>
  );
}
