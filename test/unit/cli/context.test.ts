import { expect, test } from 'vitest';
import { contextCommand } from '../../../src/cli/context.js';
import { EXIT } from '../../../src/domain/exit-codes.js';
import { ran } from '../../support/command.js';
import { startHttpServer } from '../../support/http-server.js';

test('an answer that is no JSON is that of another server', async () => {
  const server = await startHttpServer((_request, response) => void response.end('<html>'));
  const { thrown } = await ran(contextCommand(), 'x', '--url', server.url);
  await server.close();
  const message = `the server at ${server.url} is not an Errata gateway`;
  expect(thrown).toMatchObject({ message, exitCode: EXIT.unavailable });
});
