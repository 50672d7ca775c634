import { named, useWording } from '../app/i18n.js';
import type { ReceiptFields } from '../generated/operations.js';

/** What the search did, stage by stage, each as long as it took. */
export function Receipt({ receipt }: { receipt: ReceiptFields }) {
  const wording = useWording();
  const { t, number } = wording;
  let begun = 0;
  const stages = receipt.stages.map((stage) => {
    const one = { ...stage, begun };
    begun += stage.tookMs;
    return one;
  });
  const whole = Math.max(begun, receipt.tookMs, 0.001);
  return (
    <section class="receipt" aria-label={t('receipt.title')}>
      <div class="panel-head">
        <h2>{t('receipt.title')}</h2>
        <span class="count">{t('receipt.ms', { ms: number(receipt.tookMs, 1) })}</span>
      </div>
      <ol class="timeline">
        {stages.map((stage) => (
          <li key={stage.name}>
            <span>{named(wording, 'stage', stage.name.toLowerCase())}</span>
            <span class="track" aria-hidden="true">
              <i
                style={{
                  left: `${(stage.begun / whole) * 100}%`,
                  width: `${Math.max(0.8, (stage.tookMs / whole) * 100)}%`,
                }}
              />
            </span>
            <span class="count">{t('receipt.ms', { ms: number(stage.tookMs, 1) })}</span>
          </li>
        ))}
      </ol>
      <dl>
        <dt>{t('receipt.retrievers')}</dt>
        <dd>
          {receipt.retrievedBy.map((one) => named(wording, 'retriever', one.toLowerCase())).join(t('list.comma')) ||
            '–'}
        </dd>
        <dt>{t('receipt.candidates')}</dt>
        <dd>{number(receipt.candidates)}</dd>
        <dt>{t('receipt.filter')}</dt>
        <dd>
          {named(wording, 'filterPlan', receipt.filtering.toLowerCase())}
          {receipt.matchedByFilter !== null && ` · ${t('receipt.matched', { count: number(receipt.matchedByFilter) })}`}
        </dd>
        {receipt.inferredConcepts.length > 0 && (
          <>
            <dt>{t('receipt.inferred')}</dt>
            <dd>{receipt.inferredConcepts.join(t('list.comma'))}</dd>
          </>
        )}
        {receipt.expandedQuery !== null && (
          <>
            <dt>{t('receipt.expanded')}</dt>
            <dd>{receipt.expandedQuery}</dd>
          </>
        )}
        {receipt.thresholdsTried.length > 0 && (
          <>
            <dt>{t('receipt.thresholds')}</dt>
            <dd>{receipt.thresholdsTried.map((step) => number(step, 2)).join(' → ')}</dd>
          </>
        )}
        <dt>{t('receipt.model')}</dt>
        <dd>{receipt.embeddingModel}</dd>
      </dl>
    </section>
  );
}

/** Said above the hits: the list may lack something. */
export function Degraded({ receipt }: { receipt: ReceiptFields }) {
  const { t } = useWording();
  if (receipt.degraded.length === 0) return null;
  return (
    <div class="notice notice-warning" role="status">
      <p>
        <strong>{t('degraded.title')}</strong> {t('degraded.about')}
      </p>
      <ul lang="en">
        {receipt.degraded.map(({ part, reason }) => (
          <li key={part}>
            <b>{part}</b>: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}
