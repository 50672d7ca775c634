import 'graphiql/graphiql.css';
import '../styles/graphiql.css';
import { GraphiQL } from 'graphiql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { EXAMPLES } from './examples.js';

/** The request that GraphiQL makes of an operation. */
interface Sent {
  readonly query: string;
  readonly variables?: object;
  readonly operationName?: string | null;
}

/** Headers are typed into GraphiQL's own editor for them, and kept nowhere. */
async function send(sent: Sent, options?: { readonly headers?: Record<string, string> }): Promise<unknown> {
  const headers = { 'content-type': 'application/json', ...options?.headers };
  const response = await fetch('graphql', { method: 'POST', headers, body: JSON.stringify(sent) });
  return response.json();
}

const root = document.getElementById('app');
if (root !== null) {
  const defaultTabs = EXAMPLES.map((query) => ({ query }));
  createRoot(root).render(
    createElement(GraphiQL, { fetcher: send as never, defaultTabs, shouldPersistHeaders: false }),
  );
}
