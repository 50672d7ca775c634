import { useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { href, type Route } from '../app/router.js';
import { Ladder, OneCard } from '../generated/operations.js';
import { QuestionLink } from '../ui/labels.js';
import { Empty, QueryState } from '../ui/notices.js';
import { NotStored, Run, type Tally } from './run.js';

/** Cards that train a mistake, a topic or an error, which the address names: from easier to harder ones. */
export function LadderPage({ route }: { route: Route }) {
  const { t } = useWording();
  const [card, topic, error] = ['card', 'topic', 'error'].map((name) => route.params.get(name));
  const name = topic ?? error ?? card ?? '';
  return (
    <div class="page narrow">
      <div class="page-head">
        <h1>
          {t(name === '' ? 'nav.ladder' : 'ladder.title')} {card != null ? <CardLink key={card} id={card} /> : name}
        </h1>
      </div>
      {name === '' ? (
        <Empty title={t('ladder.noAim')}>
          <a class="button" href={href('fingerprint')}>
            {t('nav.fingerprint')}
          </a>
        </Empty>
      ) : (
        <Climb key={route.params.toString()} fromCardId={card} topicTag={topic} errorType={error} />
      )}
    </div>
  );
}

/** The question of the card, once it is known: the ids of imported cards say nothing to a student. */
function CardLink({ id }: { id: string }) {
  const { data } = useQuery(OneCard, { id });
  return data?.card ? <QuestionLink card={data.card} /> : <a href={href('cards', id)}>{id}</a>;
}

function Climb(aim: { fromCardId?: string | null; topicTag?: string | null; errorType?: string | null }) {
  const { t, language, number } = useWording();
  const [spoken] = useState(language);
  const query = useQuery(Ladder, { ...aim, language: spoken === 'zh-CN' ? 'ZH' : 'EN' });
  const [tally, setTally] = useState<Tally | null>(null);
  if (query.data === null) return <QueryState query={query} />;
  const { rungs, missing } = query.data.practiceLadder;
  if (tally !== null || rungs.length === 0) {
    return (
      <Empty title={tally === null ? t('ladder.none') : t('ladder.done')}>
        {tally !== null && <p>{t('ladder.tally', { right: number(tally.right), done: number(tally.done) })}</p>}
        {tally !== null && <NotStored />}
        <Missing missing={missing} />
        <p class="actions centred">
          <a class="button" href={href('fingerprint')}>
            {t('nav.fingerprint')}
          </a>
          <a class="button" href={href('today')}>
            {t('nav.today')}
          </a>
        </p>
      </Empty>
    );
  }
  return (
    <>
      <Run
        tasks={rungs.map(({ card, reason, successProbability }) => ({
          card,
          reviewOf: null,
          about: reason,
          successProbability,
        }))}
        onEnd={setTally}
      />
      <Missing missing={missing} />
    </>
  );
}

function Missing({ missing }: { missing: readonly string[] }) {
  const { t } = useWording();
  if (missing.length === 0) return null;
  return (
    <details class="detail">
      <summary>{t('ladder.missing')}</summary>
      <ul>
        {missing.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </details>
  );
}
