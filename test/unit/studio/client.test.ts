import { afterEach, expect, test, vi } from 'vitest';
import { connect } from '../../../studio/api/client.js';
import { Viewer } from '../../../studio/generated/operations.js';

afterEach(() => void vi.unstubAllGlobals());

test.each([
  [413, 'PAYLOAD_TOO_LARGE'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'UNAVAILABLE'],
  [500, 'INTERNAL'],
])('a page with status %i that a proxy answers is the error %s', async (status, code) => {
  vi.stubGlobal('fetch', async () => new Response('<html>nginx</html>', { status }));
  const api = connect(null, () => undefined);
  await expect(api.run(Viewer, {})).rejects.toMatchObject({ code });
  await expect(api.fetch('import', { method: 'POST' })).rejects.toMatchObject({ code });
});

test('an error that the gateway describes is that error, whatever its status', async () => {
  const errors = [{ message: 'the database is full', extensions: { code: 'RESOURCE_EXHAUSTED' } }];
  vi.stubGlobal('fetch', async () => Response.json({ errors }, { status: 503 }));
  await expect(connect(null, () => undefined).run(Viewer, {})).rejects.toMatchObject({
    code: 'RESOURCE_EXHAUSTED',
    message: 'the database is full',
  });
});
