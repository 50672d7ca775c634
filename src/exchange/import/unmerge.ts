import { isDeepStrictEqual } from 'node:util';
import { targetOf } from '../../domain/attachment.js';
import type { CardContent } from '../../domain/card.js';
import type { RecordedMerge } from '../../domain/ports/imports.js';

/**
 * What a card says without what a merge has added: a field that has changed since stays as it is, and a label, an entry
 * of the metadata or an attachment goes if only the merge has brought it.
 */
export function withoutMerged(content: CardContent, { before, after }: RecordedMerge): CardContent {
  const entries = (Object.keys(content) as (keyof CardContent)[]).map((key) => {
    if (isDeepStrictEqual(before[key], after[key])) return [key, content[key]];
    if (isDeepStrictEqual(content[key], after[key])) return [key, before[key]];
    return [key, withoutAdded(content, before, after, key)];
  });
  return Object.fromEntries(entries) as unknown as CardContent;
}

/** How the entries of a list are told apart. */
const IDENTITIES = {
  topicTags: (tag: string) => tag,
  errorTypes: (type: string) => type,
  metadata: ({ key }: CardContent['metadata'][number]) => key,
  attachments: targetOf,
} as const;

function withoutAdded(content: CardContent, before: CardContent, after: CardContent, key: keyof CardContent): unknown {
  if (!(key in IDENTITIES)) return content[key];
  const identify = IDENTITIES[key as keyof typeof IDENTITIES] as (entry: unknown) => string;
  const listed = (of: CardContent): readonly unknown[] => of[key] as readonly unknown[];
  const was = new Set(listed(before).map(identify));
  const added = new Set(
    listed(after)
      .map(identify)
      .filter((one) => !was.has(one)),
  );
  return listed(content).filter((entry) => !added.has(identify(entry)));
}
