/** What a Chroma server accepts. */
export interface ServerLimits {
  /** Records of a write, or read by their ids. */
  readonly records: number;
  /** Neighbours of a query, and records of a page. */
  readonly results: number;
  /** Reads, and as many writes, of one collection at a time. */
  readonly concurrent: number;
}

/** A server of one's own: its batch limit of 5,461 is far above what a call is worth. */
export const OWN_LIMITS: ServerLimits = { records: 500, results: 1_000, concurrent: Number.POSITIVE_INFINITY };

/** Chroma Cloud's quotas (docs.trychroma.com/cloud/quotas-limits), which can be raised on request. */
export const CLOUD_LIMITS: ServerLimits = { records: 300, results: 300, concurrent: 10 };
