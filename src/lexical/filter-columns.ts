import { type Card, hasSolution, type SolvableContent } from '../domain/card.js';
import { questionLanguage } from '../domain/language.js';
import type { CardFilter } from '../domain/search.js';
import { grown, renumber } from './arrays.js';
import { DocSet } from './doc-set.js';
import { PairColumn, type PairsSnapshot } from './pair-column.js';
import { TermDictionary } from './term-dictionary.js';

/** What of a card filters and the visibility of cards look at. */
export type FilterCard = Pick<
  Card,
  | 'ownerId'
  | 'subject'
  | 'grade'
  | 'qualityGrade'
  | 'source'
  | 'difficulty'
  | 'occurredAt'
  | 'id'
  | 'questionText'
  | 'topicTags'
  | 'errorTypes'
  | 'metadata'
> &
  SolvableContent;

/** Strings of few different values, as numbers. */
const CODED_COLUMNS = ['ownerId', 'subject', 'grade', 'qualityGrade', 'source'] as const;
type Coded = (typeof CODED_COLUMNS)[number];

/** Difficulties are below. */
const DIFFICULTIES = 256;

/** What a card has, as bits. */
const SOLUTION = 1;
const CHINESE = 2;
const LABEL = 4;
const FLAGS = Array.from({ length: 8 }, (_, flags) => flags);

export interface FilterColumnsSnapshot {
  /** By column of {@link CODED_COLUMNS}: the value of each number; '' for a free one. */
  readonly values: readonly (readonly string[])[];
  /** By column, then by doc: the number of the value, counted from 1; 0 without one. */
  readonly codes: readonly Uint32Array[];
  readonly difficulties: Uint16Array;
  readonly flags: Uint16Array;
  readonly occurredAtMs: Float64Array;
  readonly metadata: PairsSnapshot;
}

/**
 * What cards are filtered by, as columns by doc number. A filter becomes a bitmap in one pass over the columns that it
 * names.
 */
export class FilterColumns {
  #docs = new DocSet(0);
  readonly #coded: Readonly<Record<Coded, CodeColumn>> = {
    ownerId: new CodeColumn(),
    subject: new CodeColumn(),
    grade: new CodeColumn(),
    qualityGrade: new CodeColumn(),
    source: new CodeColumn(),
  };
  #difficulties = new Uint16Array(0);
  #flags = new Uint16Array(0);
  #occurredAtMs = new Float64Array(0);
  readonly #metadata = new PairColumn();

  get bytes(): number {
    const coded = CODED_COLUMNS.reduce((sum, name) => sum + this.#coded[name].codes.byteLength, 0);
    return coded + this.#difficulties.byteLength + this.#flags.byteLength + this.#occurredAtMs.byteLength;
  }

  /** Sets a card that has no columns yet. */
  set(doc: number, card: FilterCard): void {
    if (doc >= this.#docs.capacity) this.#grow(Math.ceil((doc + 1) * 1.25));
    this.#docs.add(doc);
    for (const name of CODED_COLUMNS) this.#coded[name].set(doc, card[name]);
    this.#difficulties[doc] = Math.min(card.difficulty, DIFFICULTIES - 1);
    this.#flags[doc] = flagsOf(card);
    this.#metadata.set(doc, card.metadata);
    this.#occurredAtMs[doc] = card.occurredAt.getTime();
  }

  /** No-op if the card has no columns. */
  delete(doc: number): void {
    if (!this.#docs.has(doc)) return;
    this.#docs.delete(doc);
    for (const name of CODED_COLUMNS) this.#coded[name].delete(doc);
    this.#metadata.delete(doc);
  }

  /** The cards that match all keys of the filter but labels and card ids. */
  matching({ subject, grade, qualityGrade, sources, owners, ...filter }: CardFilter): DocSet {
    const found = this.#docs.grown(this.#docs.capacity);
    const asked = { subject, grade, qualityGrade, source: sources, ownerId: owners };
    for (const name of CODED_COLUMNS) {
      const values = asked[name];
      if (values !== undefined) this.#coded[name].keep(found, values);
    }
    const { languages, hasSolution, unlabelled } = filter;
    if (languages !== undefined || hasSolution !== undefined || unlabelled !== undefined) {
      const isKept = (flags: number): boolean =>
        (languages?.includes((flags & CHINESE) === 0 ? 'en' : 'zh') ?? true) &&
        (hasSolution === undefined || hasSolution === (flags & SOLUTION) > 0) &&
        (unlabelled === undefined || unlabelled === ((flags & LABEL) === 0));
      found.keepCodes(
        this.#flags,
        Uint8Array.from(FLAGS, (flags) => Number(isKept(flags))),
      );
    }
    const { difficultyMin, difficultyMax, occurredAfter, occurredBefore } = filter;
    if (difficultyMin !== undefined || difficultyMax !== undefined) {
      const least = difficultyMin ?? 0;
      const most = difficultyMax ?? DIFFICULTIES;
      const isKept = Uint8Array.from({ length: DIFFICULTIES }, (_, value) => Number(value >= least && value <= most));
      found.keepCodes(this.#difficulties, isKept);
    }
    if (occurredAfter !== undefined || occurredBefore !== undefined) {
      const from = occurredAfter?.getTime() ?? Number.NEGATIVE_INFINITY;
      found.keepRange(this.#occurredAtMs, from, occurredBefore?.getTime() ?? Number.POSITIVE_INFINITY);
    }
    if (filter.metadata !== undefined) this.#metadata.keep(found, filter.metadata);
    return found;
  }

  /** Of the first `docs` docs. */
  snapshot(docs: number): FilterColumnsSnapshot {
    if (docs > this.#docs.capacity) this.#grow(docs);
    return {
      values: CODED_COLUMNS.map((name) => this.#coded[name].values()),
      codes: CODED_COLUMNS.map((name) => this.#coded[name].codes.slice(0, docs)),
      difficulties: this.#difficulties.slice(0, docs),
      flags: this.#flags.slice(0, docs),
      occurredAtMs: this.#occurredAtMs.slice(0, docs),
      metadata: this.#metadata.snapshot(docs),
    };
  }

  /** As {@link snapshot}, of these docs and their values. */
  snapshotOf(docs: Uint32Array): FilterColumnsSnapshot {
    const coded = CODED_COLUMNS.map((name) => this.#coded[name].snapshotOf(docs));
    return {
      values: coded.map(({ values }) => values),
      codes: coded.map(({ codes }) => codes),
      difficulties: Uint16Array.from(docs, (doc) => this.#difficulties[doc] as number),
      flags: Uint16Array.from(docs, (doc) => this.#flags[doc] as number),
      occurredAtMs: Float64Array.from(docs, (doc) => this.#occurredAtMs[doc] as number),
      metadata: this.#metadata.snapshotOf(docs),
    };
  }

  /** Fills empty columns with the docs of a snapshot that are kept (by doc: 1), a column a step. */
  *restore(
    { values, codes, difficulties, flags, occurredAtMs, metadata }: FilterColumnsSnapshot,
    kept: Uint8Array,
  ): Generator<void> {
    this.#grow(kept.length);
    for (const [doc, isKept] of kept.entries()) if (isKept === 1) this.#docs.add(doc);
    for (const [column, name] of CODED_COLUMNS.entries()) {
      yield;
      yield* this.#coded[name].restore(values[column] ?? [], codes[column] ?? new Uint32Array(), kept);
    }
    yield;
    this.#difficulties.set(difficulties);
    this.#flags.set(flags);
    this.#occurredAtMs.set(occurredAtMs);
    yield* this.#metadata.restore(metadata, kept);
  }

  #grow(docs: number): void {
    this.#docs = this.#docs.grown(docs);
    const { capacity } = this.#docs;
    for (const name of CODED_COLUMNS) this.#coded[name].grow(capacity);
    this.#difficulties = grown(this.#difficulties, capacity);
    this.#flags = grown(this.#flags, capacity);
    this.#occurredAtMs = grown(this.#occurredAtMs, capacity);
  }
}

function flagsOf(card: FilterCard): number {
  const { questionText, topicTags, errorTypes } = card;
  const solution = hasSolution(card) ? SOLUTION : 0;
  const chinese = questionLanguage(questionText) === 'zh' ? CHINESE : 0;
  return solution | chinese | (topicTags.length + errorTypes.length > 0 ? LABEL : 0);
}

/** A column of strings, each as its number. */
class CodeColumn {
  /** By doc: the number of its value, counted from 1; 0 without one. */
  codes = new Uint32Array(0);
  readonly #values = new TermDictionary();

  set(doc: number, value: string | null): void {
    if (value === null) return;
    const number = this.#values.take(value);
    this.#values.hold(number);
    this.codes[doc] = number + 1;
  }

  delete(doc: number): void {
    const code = this.codes[doc] as number;
    if (code > 0) this.#values.release(code - 1);
    this.codes[doc] = 0;
  }

  /** Drops the docs that have none of these values. */
  keep(docs: DocSet, values: readonly string[]): void {
    const isKept = new Uint8Array(this.#values.names.length + 1);
    for (const value of values) {
      const number = this.#values.of(value);
      if (number !== undefined) isKept[number + 1] = 1;
    }
    docs.keepCodes(this.codes, isKept);
  }

  grow(docs: number): void {
    this.codes = grown(this.codes, docs);
  }

  values(): readonly string[] {
    return this.#values.names.slice();
  }

  snapshotOf(docs: Uint32Array): { readonly values: readonly string[]; readonly codes: Uint32Array } {
    const codes = docs.map((doc) => this.codes[doc] as number);
    const [, ...kept] = renumber([Uint32Array.of(0), codes], this.#values.names.length + 1);
    return { values: kept.map((code) => this.#values.names[code - 1] as string), codes };
  }

  *restore(values: readonly string[], codes: Uint32Array, kept: Uint8Array): Generator<void> {
    const holds = new Uint32Array(values.length);
    for (const [doc, code] of codes.entries()) {
      if (kept[doc] !== 1 || code === 0) continue;
      holds[code - 1] = (holds[code - 1] as number) + 1;
      this.codes[doc] = code;
    }
    yield* this.#values.restore(values, holds);
  }
}
