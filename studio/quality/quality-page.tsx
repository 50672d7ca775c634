import { useState } from 'preact/hooks';
import { useWording } from '../app/i18n.js';
import { Tabs } from '../ui/tabs.js';
import { Evaluations } from './evaluations.js';
import { GoldenSetList } from './golden-set-list.js';
import { Judge } from './judge.js';
import { ZeroResults } from './zero-results.js';

const PARTS = { judge: Judge, sets: GoldenSetList, evaluations: Evaluations, zero: ZeroResults } as const;
type Part = keyof typeof PARTS;

/** From judging hits to measuring search by what was judged. */
export function QualityPage() {
  const { t } = useWording();
  const [part, setPart] = useState<Part>('judge');
  const Shown = PARTS[part];
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t('nav.quality')}</h1>
      </div>
      <Tabs
        label={t('nav.quality')}
        value={part}
        values={(Object.keys(PARTS) as Part[]).map((value) => ({ value, name: t(`quality.part.${value}`) }))}
        onChange={setPart}
      />
      <div class="tab-panel">
        <Shown />
      </div>
    </div>
  );
}
