import 'katex/dist/katex.min.css';
import { render } from 'katex';

export const katex = { render };
