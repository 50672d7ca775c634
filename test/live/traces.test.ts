import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.js';
import { createCard, indexed, search } from '../support/notebook.js';
import { until } from '../support/until.js';

test('a gateway sends its searches to a trace collector, without their contents', async () => {
  let received = '';
  const collector = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    request.on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  const gateway = await startGateway({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } });
  try {
    await createCard(gateway, { id: 'a', questionText: 'zquestionz 1/2 + 1/3' });
    await indexed(gateway);
    await search(gateway, 'hybridSearch', { text: 'zquestionz' });
    await until(() => received.includes('"retrieve"'), { deadlineMs: 30_000, what: 'the search to be traced' });
    expect(received).toContain('"POST hybridSearch"');
    expect(received).not.toContain('zquestionz');
  } finally {
    await gateway.close();
    collector.close();
  }
});
