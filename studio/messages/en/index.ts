import { cards } from './cards.js';
import { exchange } from './exchange.js';
import { operations } from './operations.js';
import { practice } from './practice.js';
import { quality } from './quality.js';
import { search } from './search.js';
import { shell } from './shell.js';

export const en = { ...shell, ...search, ...cards, ...exchange, ...operations, ...practice, ...quality };
