import { useState } from 'preact/hooks';
import { useAction, useQuery } from '../api/use-query.js';
import { useWording } from '../app/i18n.js';
import { href, hrefWith, useGoBackTo } from '../app/router.js';
import { useRights } from '../app/session.js';
import { useTitle } from '../app/title.js';
import { type CardFields, CardPage, DeleteCard } from '../generated/operations.js';
import { searchAddress } from '../search/address.js';
import { NOTHING_ASKED } from '../search/state.js';
import { Dialog } from '../ui/dialog.js';
import { Pairs } from '../ui/figures.js';
import { CardFacts, Choices, Tags } from '../ui/labels.js';
import { MathText } from '../ui/math-text.js';
import { Empty, ErrorNotice, QueryState } from '../ui/notices.js';
import { questionName } from '../ui/question-name.js';
import { useSelection } from '../ui/selection.js';
import { Files } from './attachments.js';
import { TEXT_FIELDS, type TextField } from './draft.js';
import { Neighbours } from './neighbours.js';
import { Occurrences } from './occurrences.js';

export function CardView({ cardId }: { cardId: string }) {
  const { t, moment, named } = useWording();
  const { mayChange } = useRights();
  const query = useQuery(CardPage, { id: cardId });
  const { data, error } = query;
  const [asking, setAsking] = useState(false);
  /** Not of `cardId` if that card was merged: the one that it was merged into. */
  const card = data?.card;
  useTitle(card == null ? null : `${questionName(card)} · Errata`);
  const { set } = useSelection();
  const goBackTo = useGoBackTo();
  const remove = useAction(async (api, id: string) => {
    await api.run(DeleteCard, { id });
    set((before) => new Map([...before].filter(([one]) => one !== id)));
    goBackTo(href('cards'));
  });
  if (error?.code === 'NOT_FOUND' || card === null) {
    return (
      <Empty title={t('card.missing', { id: cardId })} about={t('card.missing.about')} alone>
        <a class="button" href={href('cards')}>
          {t('nav.cards')}
        </a>
      </Empty>
    );
  }
  if (card === undefined) return <QueryState query={query} />;
  const perspectives = card.index.perspectives.map((one) => named('perspective', one));
  const index = [
    t(`indexState.${card.index.state}`),
    ...(perspectives.length === 0 ? [] : [perspectives.join(t('list.comma'))]),
  ];
  return (
    <article class="card-page" data-card={card.id}>
      <header class="page-head">
        <h1 class="clamped">
          <MathText text={card.questionText} inline />
        </h1>
        <CardFacts card={card} />
        <a class="button" href={searchAddress({ ...NOTHING_ASKED, cardId: card.id })}>
          {t('hit.searchFrom')}
        </a>
        <a class="button" href={hrefWith('ladder', { card: card.id })}>
          {t('ladder.practise')}
        </a>
        {mayChange(card) && (
          <>
            <a class="button primary" href={href('cards', card.id, 'edit')}>
              {t('card.edit')}
            </a>
            <button type="button" class="danger" onClick={() => setAsking(true)}>
              {t('card.delete')}
            </button>
          </>
        )}
      </header>
      <div class="card-columns">
        <div>
          <Texts card={card} />
          {card.attachments.length > 0 && (
            <section class="box" aria-label={t('field.attachments')}>
              <h2>{t('field.attachments')}</h2>
              <Files attachments={card.attachments} />
            </section>
          )}
          <Occurrences occurrences={data?.occurrencesOf ?? []} />
        </div>
        <aside>
          <section class="box">
            <h2>{t('card.about')}</h2>
            <Tags topicTags={card.topicTags} errorTypes={card.errorTypes} />
            <Pairs
              pairs={[
                [t('field.id'), <code key="id">{card.id}</code>],
                [t('field.source'), card.source],
                [t('field.occurredAt'), moment(card.occurredAt)],
                [t('card.changed'), `${moment(card.updatedAt)} · ${t('card.revision', { revision: card.revision })}`],
                [t('card.index'), index.join(' · ')],
              ]}
            />
            {card.index.lastError !== null && (
              <p class="notice notice-error" lang="en">
                {card.index.lastError}
              </p>
            )}
          </section>
          <Neighbours card={card} />
        </aside>
      </div>
      {asking && (
        <Dialog title={t('card.delete')} onClose={() => setAsking(false)}>
          <p>{t('card.delete.sure')}</p>
          <ErrorNotice error={remove.error} />
          <button type="button" class="danger" disabled={remove.running} onClick={() => remove.run(card.id)}>
            {t('card.delete')}
          </button>
        </Dialog>
      )}
    </article>
  );
}

export function Texts({ card }: { card: Pick<CardFields, TextField | 'choices'> }) {
  const { t } = useWording();
  return (
    <>
      {TEXT_FIELDS.map((field) => {
        const text = card[field];
        return text === null || text === '' ? null : (
          <section key={field} class={`box text-${field}`}>
            <h2>{t(`field.${field}`)}</h2>
            <div class="card-text">
              <MathText text={text} />
            </div>
            {field === 'questionText' && <Choices choices={card.choices} />}
          </section>
        );
      })}
    </>
  );
}
