import { useState } from 'preact/hooks';
import { useWording } from '../app/i18n.js';
import { useSession } from '../app/session.js';
import type { HybridSearchVariables, SearchOperation } from '../generated/operations.js';
import { Dialog } from '../ui/dialog.js';
import { asCurl, asGraphql } from './copied.js';

/** The search as a developer would send it. */
export function CopyButtons({
  operation,
  variables,
}: {
  operation: SearchOperation;
  variables: HybridSearchVariables;
}) {
  const { t } = useWording();
  const { token } = useSession();
  /** The text that was copied: with another search, it is not that of the buttons any more. */
  const [copied, setCopied] = useState<string | null>(null);
  /** Where the browser gives no clipboard, such as without TLS: the text to copy by hand. */
  const [byHand, setByHand] = useState<string | null>(null);
  const copy = async (text: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(text);
    } catch {
      setByHand(text);
    }
  };
  const document = asGraphql(operation, variables);
  const url = new URL('graphql', location.href).href;
  const texts = { graphql: document, curl: asCurl(document, url, token !== null) };
  return (
    <>
      {(['graphql', 'curl'] as const).map((name) => (
        <button key={name} type="button" onClick={() => copy(texts[name])}>
          {t(`copy.${name}`)}
        </button>
      ))}
      <span class="detail" role="status">
        {Object.values(texts).some((text) => text === copied) && t('copy.done')}
      </span>
      {byHand !== null && (
        <Dialog title={t('copy.byHand')} onClose={() => setByHand(null)} wide>
          <pre class="code">{byHand}</pre>
        </Dialog>
      )}
    </>
  );
}
