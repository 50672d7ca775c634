import type { ComponentType } from 'preact';
import { CardsPage } from '../cards/cards-page.js';
import { DuplicatesPage } from '../duplicates/duplicates-page.js';
import { ImportPage } from '../exchange/import-page.js';
import { OperationsPage } from '../operations/operations-page.js';
import { PaperPage } from '../paper/paper-page.js';
import { ClassPage } from '../practice/class-page.js';
import { FingerprintPage } from '../practice/fingerprint-page.js';
import { LadderPage } from '../practice/ladder-page.js';
import { TodayPage } from '../practice/today-page.js';
import { QualityPage } from '../quality/quality-page.js';
import type { Route } from './router.js';
import type { Rights } from './session.js';

interface Page {
  /** In the address, and as `nav.` in the messages. */
  readonly name: string;
  /** Undefined for the search, which the shell keeps. */
  readonly page?: ComponentType<{ route: Route }>;
  readonly isFor: (rights: Rights) => boolean;
  /** Reached from another page. */
  readonly hidden?: true;
}

const everyone = (): boolean => true;

export const PAGES: readonly Page[] = [
  { name: 'search', isFor: everyone },
  { name: 'today', page: TodayPage, isFor: everyone },
  { name: 'ladder', page: LadderPage, isFor: everyone, hidden: true },
  { name: 'fingerprint', page: FingerprintPage, isFor: everyone },
  { name: 'class', page: ClassPage, isFor: ({ staff }) => staff },
  { name: 'cards', page: CardsPage, isFor: everyone },
  { name: 'paper', page: PaperPage, isFor: everyone, hidden: true },
  { name: 'exchange', page: ImportPage, isFor: everyone },
  { name: 'duplicates', page: DuplicatesPage, isFor: everyone },
  { name: 'quality', page: QualityPage, isFor: ({ staff }) => staff },
  { name: 'operations', page: OperationsPage, isFor: everyone },
];
