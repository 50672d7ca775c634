import { useWording } from '../app/i18n.js';
import type { Fusion, SearchOperation } from '../generated/operations.js';
import { Check, Select } from '../ui/fields.js';
import { Slider } from '../ui/slider.js';
import { movedWeight, PERSPECTIVES, type ProfileSettings, type Tuning, USUAL_WEIGHTS } from './state.js';

const FUSIONS: readonly Fusion[] = ['WEIGHTED', 'RRF', 'RELATIVE'];

/** Sliders that rank anew while they are dragged. What was not touched stays as the profile has it. */
export function TuningPanel({
  tuning,
  base,
  operation,
  names,
  onChange,
}: {
  tuning: Tuning;
  /** What `tuning` changes; undefined until the profiles are known. */
  base: ProfileSettings | undefined;
  operation: SearchOperation;
  /** Of the profiles. */
  names: readonly string[];
  onChange: (tuning: Tuning) => void;
}) {
  const { t } = useWording();
  const weights = tuning.weights ?? base?.weights ?? USUAL_WEIGHTS;
  const weighs = operation === 'hybridSearch';
  return (
    <section class="tuning" aria-label={t('tuning.title')}>
      <div class="panel-head">
        <h2>{t('tuning.title')}</h2>
        {Object.keys(tuning).length > 0 && (
          <button type="button" class="link" onClick={() => onChange({})}>
            {t('tuning.reset')}
          </button>
        )}
      </div>
      <Select
        label={t('tuning.profile')}
        value={tuning.profile ?? ''}
        values={['', ...names]}
        nameOf={(name) => name || t('tuning.gatewayProfile')}
        onChange={(profile) => onChange(profile === '' ? {} : { profile })}
      />
      {PERSPECTIVES.map((perspective) => (
        <Slider
          key={perspective}
          name={t(`perspective.${perspective.toUpperCase() as Uppercase<typeof perspective>}`)}
          tone={perspective}
          value={weights[perspective]}
          disabled={!weighs}
          onChange={(value) => onChange({ ...tuning, weights: movedWeight(weights, perspective, value) })}
        />
      ))}
      {!weighs && <p class="detail">{t('tuning.onlyHybrid')}</p>}
      <Slider
        name={t('tuning.lexicalShare')}
        about={t('tuning.lexicalShare.about')}
        value={tuning.lexicalShare ?? base?.lexicalShare ?? 0.6}
        onChange={(lexicalShare) => onChange({ ...tuning, lexicalShare })}
      />
      <Slider
        name={t('tuning.diversity')}
        about={t('tuning.diversity.about')}
        value={tuning.diversity ?? base?.diversity ?? 0}
        onChange={(diversity) => onChange({ ...tuning, diversity })}
      />
      <Select
        label={t('tuning.fusion')}
        value={tuning.fusion ?? base?.fusion ?? 'WEIGHTED'}
        values={FUSIONS}
        nameOf={(fusion) => t(`fusion.${fusion}`)}
        onChange={(fusion) => onChange({ ...tuning, fusion })}
      />
      <Check
        label={t('tuning.expand')}
        checked={tuning.expand ?? true}
        onChange={(expand) => onChange({ ...tuning, expand })}
      />
      <Check
        label={t('tuning.preferQuality')}
        checked={tuning.preferQuality ?? false}
        onChange={(preferQuality) => onChange({ ...tuning, preferQuality })}
      />
    </section>
  );
}
