import { expect, test } from 'vitest';
import { FILE_TYPES } from '../../../src/domain/attachment.js';
import { RateLimitedError } from '../../../src/domain/errors.js';
import type { Viewer } from '../../../src/domain/viewer.js';
import { AttachmentService, UPLOAD_LIMITS } from '../../../src/exchange/attachments.js';
import { deferred } from '../../support/deferred.js';

test('uploads of a school that are never sent whole leave room for those of other schools', async () => {
  const uploadedFiles = { keep: async () => undefined, read: async () => null, forget: async () => 0 };
  const limits = { maxBytes: 1_000, maxTenantBytes: 10_000, types: FILE_TYPES };
  const attachments = new AttachmentService({ uploadedFiles, limits, log: { warn: () => undefined } });
  const sent = deferred();
  async function* slowly(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('%PDF-1.7');
    await sent.promise;
  }
  const upload = (tenantId: string, ownerId: string) => {
    const viewer: Viewer = { tenantId, ownerId, role: 'student' };
    return attachments.upload(viewer, { owner: null, contentType: 'application/pdf', body: slowly() });
  };
  const { perViewer, perTenant } = UPLOAD_LIMITS;
  const slow = Array.from({ length: perTenant }, (_, n) => upload('north', `student ${Math.floor(n / perViewer)}`));
  await expect(upload('north', 'amy')).rejects.toThrow(RateLimitedError);
  const ofOwner = Array.from({ length: perViewer }, () => upload('south', 'amy'));
  await expect(upload('south', 'amy')).rejects.toThrow(`${perViewer} uploads of this viewer`);
  const ofOther = upload('south', 'ben');
  sent.resolve();
  for (const one of [...slow, ...ofOwner, ofOther]) expect(await one).toMatchObject({ bytes: 8 });
  expect(await upload('north', 'amy')).toMatchObject({ bytes: 8 });
});
