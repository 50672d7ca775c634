import { useWording } from '../app/i18n.js';
import type { Fusion, SearchOperation } from '../generated/operations.js';
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
      <label class="field">
        <span>{t('tuning.profile')}</span>
        <select
          value={tuning.profile ?? ''}
          onChange={({ currentTarget: { value } }) => onChange(value === '' ? {} : { profile: value })}
        >
          <option value="">{t('tuning.gatewayProfile')}</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
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
      <label class="field">
        <span>{t('tuning.fusion')}</span>
        <select
          value={tuning.fusion ?? base?.fusion ?? 'WEIGHTED'}
          onChange={(event) => onChange({ ...tuning, fusion: event.currentTarget.value as Fusion })}
        >
          {FUSIONS.map((fusion) => (
            <option key={fusion} value={fusion}>
              {t(`fusion.${fusion}`)}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={tuning.expand ?? true}
          onChange={(event) => onChange({ ...tuning, expand: event.currentTarget.checked })}
        />
        <span>{t('tuning.expand')}</span>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={tuning.preferQuality ?? false}
          onChange={(event) => onChange({ ...tuning, preferQuality: event.currentTarget.checked })}
        />
        <span>{t('tuning.preferQuality')}</span>
      </label>
    </section>
  );
}
