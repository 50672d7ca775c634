import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/client.js';
import type { Query } from '../api/use-query.js';
import { keyOf, useWording } from '../app/i18n.js';
import { refusalText } from './reasons.js';

interface ErrorNoticeProps {
  readonly error: ApiError | null;
  readonly retry?: () => void;
}

/** What went wrong and what to do: the page's own words by the code, then the gateway's, which name the field. */
export function ErrorNotice({ error, retry }: ErrorNoticeProps) {
  const wording = useWording();
  const { t } = wording;
  if (error === null) return null;
  const detail = refusalText(error, wording);
  const says = t(keyOf('error', error.code) ?? 'error.INTERNAL', {
    seconds: Math.ceil((error.retryAfterMs ?? 1_000) / 1_000),
  });
  return (
    <div class="notice notice-error" role="alert">
      <p>
        <strong>{says}</strong>
      </p>
      {error.code !== 'OFFLINE' && error.message !== '' && (
        <p class="detail" lang={detail === undefined ? 'en' : undefined}>
          {detail ?? error.message}
        </p>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          {t('action.retry')}
        </button>
      )}
    </div>
  );
}

/** A place where something would be, and how to get it there. */
export function Empty({
  title,
  about,
  alone = false,
  children,
}: {
  title: string;
  about?: string;
  /** The page has no other heading. */
  alone?: boolean;
  children?: ComponentChildren;
}) {
  const Title = alone ? 'h1' : 'p';
  return (
    <div class="empty">
      <Title class="empty-title">{title}</Title>
      {about !== undefined && <p>{about}</p>}
      {children}
    </div>
  );
}

/** What went wrong with a query, or that its first answer is awaited. */
export function QueryState({ query }: { query: Pick<Query<unknown>, 'data' | 'error' | 'reload'> }) {
  const { data, error, reload } = query;
  if (error !== null) return <ErrorNotice error={error} retry={reload} />;
  return data === null ? <Loading /> : null;
}

export function Loading() {
  const { t } = useWording();
  return (
    <p class="loading" role="status">
      {t('state.loading')}
    </p>
  );
}
