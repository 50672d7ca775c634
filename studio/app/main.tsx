import '../styles/colors.css';
import '../styles/base.css';
import '../styles/shell.css';
import '../styles/parts.css';
import '../styles/cards.css';
import '../styles/controls.css';
import '../styles/editor.css';
import '../styles/exchange.css';
import '../styles/operations.css';
import '../styles/quality.css';
import '../styles/hits.css';
import '../styles/comparison.css';
import '../styles/receipt.css';
import '../styles/search.css';
import { render } from 'preact';
import { App } from './app.js';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
