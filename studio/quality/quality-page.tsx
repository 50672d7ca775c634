import { useWording } from '../app/i18n.js';
import { goInstead, hrefWith, type Route } from '../app/router.js';
import { Tabs } from '../ui/tabs.js';
import { Evaluations } from './evaluations.js';
import { GoldenSetList } from './golden-set-list.js';
import { Judge } from './judge.js';
import { ZeroResults } from './zero-results.js';

const PARTS = { judge: Judge, sets: GoldenSetList, evaluations: Evaluations, zero: ZeroResults } as const;
type Part = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as Part[];

/** From judging hits to measuring search by what was judged. */
export function QualityPage({ route }: { route: Route }) {
  const { t } = useWording();
  const part = PART_NAMES.find((one) => one === route.params.get('part')) ?? 'judge';
  const Shown = PARTS[part];
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t('nav.quality')}</h1>
      </div>
      <Tabs
        label={t('nav.quality')}
        value={part}
        values={PART_NAMES.map((value) => ({ value, name: t(`quality.part.${value}`) }))}
        onChange={(chosen) => goInstead(hrefWith('quality', { part: chosen }))}
      />
      <div class="tab-panel">
        <Shown route={route} />
      </div>
    </div>
  );
}
