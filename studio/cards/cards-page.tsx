import { useRef } from 'preact/hooks';
import type { Route } from '../app/router.js';
import { CardEditor } from './card-editor.js';
import { CardList, type ListPlace } from './card-list.js';
import { CardView } from './card-view.js';

/** `#/cards`, `#/cards/new`, `#/cards/ID`, `#/cards/ID/edit`. */
export function CardsPage({ route }: { route: Route }) {
  const place = useRef<ListPlace>({ address: '', top: 0 });
  const [id, action] = route.rest;
  if (id === undefined || id === '') return <CardList route={route} place={place} />;
  const isEdited = id === 'new' || action === 'edit';
  return (
    <div class="page" key={id}>
      {isEdited ? <CardEditor cardId={id === 'new' ? null : id} /> : <CardView cardId={id} />}
    </div>
  );
}
