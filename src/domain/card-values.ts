import type { Attachment } from './attachment.js';

/** Topic tags, or error types, of one card. */
export const MAX_LABELS = 50;

/** How good a card is as teaching material, best first. */
export const QUALITY_GRADES = ['EXCELLENT', 'GOOD', 'FAIR'] as const;
export type QualityGrade = (typeof QUALITY_GRADES)[number];

/** Entries of the metadata of one card. */
export const MAX_METADATA = 32;

/** What an app stores with a card; not searched. */
export interface MetadataEntry {
  readonly key: string;
  readonly value: string;
}

/** Value of a field by its kind. Limits and spelling of a kind are those of its parser in `parse/scalars.ts`. */
export interface FieldKinds {
  readonly subject: string;
  readonly grade: string;
  readonly difficulty: number;
  /** A long text, kept as it was written. */
  readonly text: string;
  /** In the client's order, each once. */
  readonly labels: readonly string[];
  readonly quality: QualityGrade;
  readonly source: string;
  readonly moment: Date;
  /** Of a multiple-choice question, in order: A, B, ... */
  readonly choices: readonly string[];
  /** By key, each key once. */
  readonly metadata: readonly MetadataEntry[];
  /** In the client's order, each link or file once. */
  readonly attachments: readonly Attachment[];
}
export type FieldKind = keyof FieldKinds;
