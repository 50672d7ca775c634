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
  if (id === 'new') return <CardEditor key="new" cardId={null} />;
  return action === 'edit' ? <CardEditor key={id} cardId={id} /> : <CardView key={id} cardId={id} />;
}
