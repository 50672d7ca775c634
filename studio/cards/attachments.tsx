import { useContext, useEffect } from 'preact/hooks';
import { useAction, useAnswer } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { saveBlob } from '../ui/download.js';
import { PartsLoading } from '../ui/math-text.js';
import { ErrorNotice } from '../ui/notices.js';
import type { Attachment } from './attached.js';

/** Uploaded images as pictures, other files to save, and links; nothing is loaded from elsewhere. */
export function Files({ attachments }: { attachments: readonly Attachment[] }) {
  const { t } = useWording();
  if (attachments.length === 0) return null;
  return (
    <ul class="attachments">
      {attachments.map((one) => (
        <li key={one.url} data-kind={one.kind}>
          <Shown attachment={one} />
          <p class="detail">
            {t(`attachmentKind.${one.kind}`)}
            {one.altText !== null && ` · ${one.altText}`}
          </p>
        </li>
      ))}
    </ul>
  );
}

export function Shown({ attachment }: { attachment: Attachment }) {
  const { t } = useWording();
  const { url, sha256, contentType, kind, altText } = attachment;
  if (sha256 === null) {
    return (
      <a href={url} target="_blank" rel="noopener noreferrer nofollow">
        {url}
      </a>
    );
  }
  return contentType?.startsWith('image/') ? (
    <Picture sha256={sha256} alt={altText?.trim() || t(`attachmentKind.${kind}`)} />
  ) : (
    <FileButton sha256={sha256} altText={altText} />
  );
}

/** Fetched with the credential, which an image element would not send. */
function Picture({ sha256, alt }: { sha256: string; alt: string }) {
  const { t } = useWording();
  const onLoading = useContext(PartsLoading);
  const { data, error, loading } = useAnswer(sha256, async (api, signal) => {
    const response = await api.fetch(`attachments/${sha256}`, { signal });
    return dataUrl(await response.blob());
  });
  useEffect(() => {
    if (!loading) return;
    onLoading(1);
    return () => onLoading(-1);
  }, [loading, onLoading]);
  if (error !== null) return <p class="notice notice-error">{t('attachments.failed')}</p>;
  return data === null ? <p class="detail">{t('state.loading')}</p> : <img src={data} alt={alt} />;
}

function FileButton({ sha256, altText }: { sha256: string; altText: string | null }) {
  const { t } = useWording();
  const save = useAction(async (api) => {
    const response = await api.fetch(`attachments/${sha256}`, {});
    const [, name] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
    saveBlob(await response.blob(), name ?? sha256);
  });
  return (
    <>
      <button type="button" disabled={save.running} onClick={() => save.run()}>
        {t('attachments.save')} <span class="sr-only">{altText}</span>
      </button>
      <ErrorNotice error={save.error} />
    </>
  );
}

/** The content security policy of the page lets images come from data URLs, and not from object URLs. */
function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
