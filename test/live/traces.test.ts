import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.js';
import { startHttpServer } from '../support/http-server.js';
import { createCard, indexed, search } from '../support/notebook.js';
import { until } from '../support/until.js';

test('a gateway sends its searches to a trace collector, without their contents', async () => {
  let received = '';
  const collector = await startHttpServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    request.on('end', () => response.end('{}'));
  });
  const gateway = await startGateway({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  try {
    await createCard(gateway, { id: 'a', questionText: 'zquestionz 1/2 + 1/3' });
    await indexed(gateway);
    await search(gateway, 'hybridSearch', { text: 'zquestionz' });
    await until(() => received.includes('"retrieve"'), { deadlineMs: 30_000, what: 'the search to be traced' });
    expect(received).toContain('"POST hybridSearch"');
    expect(received).not.toContain('zquestionz');
  } finally {
    await gateway.close();
    await collector.close();
  }
});
