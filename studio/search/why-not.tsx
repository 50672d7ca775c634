import { useRef, useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { Cards, type FoundFields, OneCard, SimilarQuestions } from '../generated/operations.js';
import { Dialog } from '../ui/dialog.js';
import { TextInput } from '../ui/fields.js';
import { focusWhenLost } from '../ui/focus.js';
import { MathText } from '../ui/math-text.js';
import { ErrorNotice, Loading } from '../ui/notices.js';
import { LaneTable } from './lane-bar.js';
import { type Asked, OPERATIONS, type Tuning, variablesOf } from './state.js';
import { aloneFilter, labelsFilter, type Reason, reasonsOf } from './why-not-reasons.js';

/** What the gateway takes for an id; it refuses any other. */
const CARD_ID = /^[A-Za-z0-9][\w.:-]{0,99}$/;

/** Pick a card; it is asked about by itself, and what came of that is compared with the list. */
export function WhyNot({
  asked,
  tuning,
  found,
  onClose,
}: {
  asked: Asked;
  tuning: Tuning;
  found: FoundFields;
  onClose: () => void;
}) {
  const { t } = useWording();
  const [words, setWords] = useState('');
  const [picked, setPicked] = useState<string | null>(null);
  const typed = words.trim();
  const byId = useQuery(OneCard, CARD_ID.test(typed) ? { id: typed } : null, { debounceMs: 120 });
  const byText = useQuery(
    SimilarQuestions,
    typed === '' ? null : { text: typed, topK: 8, options: { thresholdSteps: [0] } },
    { debounceMs: 120 },
  );
  const cards = [
    ...(byId.data?.card ? [byId.data.card] : []),
    ...(byText.data?.result.hits ?? []).map(({ card }) => card).filter(({ id }) => id !== byId.data?.card?.id),
  ];
  // Shown when both queries are answered: otherwise the second answer would move a card while it is being clicked.
  const shown = useRef(cards);
  if (!byId.loading && !byText.loading) shown.current = cards;
  return (
    <Dialog title={t('whyNot.title')} onClose={onClose} wide>
      <TextInput
        label={t('whyNot.pick')}
        type="search"
        value={words}
        onInput={(text) => {
          setWords(text);
          setPicked(null);
        }}
      />
      <ErrorNotice error={byId.error ?? byText.error} />
      {picked === null ? (
        <ul class="picks">
          {shown.current.map((card) => (
            <li key={card.id}>
              <button type="button" onClick={() => setPicked(card.id)}>
                <code>{card.id}</code> <MathText text={card.questionText} inline />
              </button>
            </li>
          ))}
        </ul>
      ) : (
        // The button that was pressed is gone.
        <div ref={focusWhenLost} tabIndex={-1}>
          <Reasons key={picked} cardId={picked} asked={asked} tuning={tuning} found={found} />
        </div>
      )}
    </Dialog>
  );
}

function Reasons({
  cardId,
  asked,
  tuning,
  found,
}: {
  cardId: string;
  asked: Asked;
  tuning: Tuning;
  found: FoundFields;
}) {
  const { t, number } = useWording();
  const { data, error } = useQuery(OneCard, { id: cardId });
  const card = data?.card ?? null;
  const asking = useQuery(OneCard, asked.cardId === null ? null : { id: asked.cardId });
  const operation = OPERATIONS[asked.operation];
  const usual = variablesOf({ ...asked, topK: 50 }, tuning);
  // Every candidate is a hit then, by scores that compare.
  const options = { ...usual?.options, thresholdSteps: [0], diversity: 0, fusion: 'WEIGHTED' as const };
  const further = useQuery(operation, usual);
  const alone = useQuery(
    operation,
    card === null || usual === null ? null : { ...usual, filter: aloneFilter(card), options },
  );
  const labels = card === null ? null : labelsFilter(card, asked.filter);
  const matching = useQuery(Cards, labels === null ? null : { filter: labels, first: 100 });
  const failure = error ?? asking.error ?? further.error ?? alone.error ?? matching.error;
  if (failure !== null) return <ErrorNotice error={failure} />;
  if (card === null || further.data === null || alone.data === null) return <Loading />;
  if ((labels !== null && matching.data === null) || (asked.cardId !== null && asking.data === null))
    return <Loading />;
  const hit = alone.data.result.hits.find((one) => one.card.id === cardId) ?? null;
  const labelsMatch = matching.data?.cards.nodes.some(({ id }) => id === cardId) ?? false;
  const last = found.hits.at(-1);
  const queryCardId = asking.data?.card?.id ?? null;
  const listed = { found, further: further.data.result, hit, labelsMatch };
  const reasons = reasonsOf({ card, asked, queryCardId, tuning, ...listed });
  const say = ({ key, values = {}, filters = [] }: Reason): string =>
    t(key, {
      fields: filters.map((one) => t(one)).join(t('list.comma')),
      ...Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, number(value, Number.isInteger(value) ? 0 : 3)]),
      ),
    });
  return (
    <div class="reasons">
      <p class="quoted">
        <MathText text={card.questionText} />
      </p>
      <ul>
        {reasons.map((reason) => (
          <li key={reason.key} class={`reason-${reason.kind}`}>
            {say(reason)}
          </li>
        ))}
      </ul>
      {hit !== null && (
        <>
          <h3>{t('whyNot.itsLanes', { score: number(hit.score, 3) })}</h3>
          <LaneTable lanes={hit.lanes} ranked={false} />
          {last !== undefined && last.card.id !== cardId && (
            <>
              <h3>{t('whyNot.lastLanes', { score: number(last.score, 3) })}</h3>
              <LaneTable lanes={last.lanes} />
            </>
          )}
        </>
      )}
    </div>
  );
}
