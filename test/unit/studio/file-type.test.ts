import { expect, test } from 'vitest';
import { fileTypeOf as byGateway } from '../../../src/domain/attachment.js';
import { fileTypeOf } from '../../../studio/cards/attached.js';

const BEGINNINGS = ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff\xe0', 'GIF87a', 'GIF89a', 'RIFF\n\r12WEBPVP8', '%PDF-1.7'];

test('the type of an uploaded file is that of its content, as the gateway knows it, whatever its name says', async () => {
  for (const beginning of BEGINNINGS) {
    const content = Buffer.from(`${beginning}content of the file`, 'latin1');
    expect(await fileTypeOf(new Blob([content], { type: 'image/jpeg' }))).toBe(byGateway(content));
  }
  for (const content of ['BM....', 'RIFF1234WAVE', '']) {
    expect(await fileTypeOf(new Blob([content], { type: 'image/bmp' }))).toBe('image/bmp');
  }
});
