import { createHash } from 'node:crypto';
import { type Viewer, visibleOwner } from '../../src/domain/viewer.js';

/** In a cursor: equal for viewers who see the same cards, and these facts. 22 characters. */
export function viewerDigest(viewer: Viewer, facts: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([viewer.tenantId, visibleOwner(viewer) ?? null, ...facts]))
    .digest()
    .subarray(0, 16)
    .toString('base64url');
}
