import { useWording } from '../app/i18n.js';
import type { ReceiptFields } from '../generated/operations.js';
import { Bar } from '../ui/chart.js';
import { Pairs } from '../ui/figures.js';

/** What the search did, stage by stage, each as long as it took. */
export function Receipt({ receipt }: { receipt: ReceiptFields }) {
  const { t, number, named } = useWording();
  let begun = 0;
  const stages = receipt.stages.map((stage) => {
    const one = { ...stage, begun };
    begun += stage.tookMs;
    return one;
  });
  const whole = Math.max(begun, receipt.tookMs, 0.001);
  const retrievers = receipt.retrievedBy.map((one) => named('retriever', one.toLowerCase()));
  const filter = [
    named('filterPlan', receipt.filtering.toLowerCase()),
    ...(receipt.matchedByFilter === null ? [] : [t('receipt.matched', { count: number(receipt.matchedByFilter) })]),
  ];
  return (
    <section class="receipt" aria-label={t('receipt.title')}>
      <div class="panel-head">
        <h2>{t('receipt.title')}</h2>
        <span class="count">{t('receipt.ms', { ms: number(receipt.tookMs, 1) })}</span>
      </div>
      <ol class="timeline">
        {stages.map((stage) => (
          <li key={stage.name}>
            <span>{named('stage', stage.name.toLowerCase())}</span>
            <Bar from={stage.begun / whole} to={(stage.begun + stage.tookMs) / whole} />
            <span class="count">{t('receipt.ms', { ms: number(stage.tookMs, 1) })}</span>
          </li>
        ))}
      </ol>
      <Pairs
        pairs={[
          [t('receipt.retrievers'), retrievers.join(t('list.comma')) || '–'],
          [t('receipt.candidates'), number(receipt.candidates)],
          [t('receipt.filter'), filter.join(' · ')],
          [t('receipt.inferred'), receipt.inferredConcepts.join(t('list.comma'))],
          [t('receipt.expanded'), receipt.expandedQuery],
          [t('receipt.thresholds'), receipt.thresholdsTried.map((step) => number(step, 2)).join(' → ')],
          [t('receipt.model'), receipt.embeddingModel],
        ]}
      />
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
