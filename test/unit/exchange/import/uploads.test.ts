import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { storeFile } from '../../../../src/exchange/import/uploads.js';

async function* body(): AsyncGenerator<Buffer> {
  yield Buffer.from('{"questionText":"1 + 1"}\n');
}

test.runIf(existsSync('/dev/full'))('a file for which the disk has no room is refused as such', async () => {
  const refusal = { code: 'RESOURCE_EXHAUSTED', message: "import is unavailable: the gateway's disk is full" };
  await expect(storeFile('/dev/full', [], body())).rejects.toMatchObject(refusal);
});
