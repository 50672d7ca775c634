import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TOOL_OPERATIONS, WRITING_OPERATIONS } from '../../src/access/tool-operations.js';
import { toolList } from '../../src/mcp/tools.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { TOKEN_SETTINGS, tokenOf } from '../support/tokens.js';

describe('the MCP tools that write', () => {
  let writer: Gateway;
  let amy: Client;
  beforeAll(async () => {
    writer = await startGateway({ env: { ...TOKEN_SETTINGS, MCP_WRITES: 'true' } });
    amy = new Client({ name: 'test', version: '0' });
    const headers = { authorization: `Bearer ${await tokenOf({ sub: 'amy' })}` };
    await amy.connect(new StreamableHTTPClientTransport(new URL('/mcp', writer.url), { requestInit: { headers } }));
  });
  afterAll(async () => {
    await amy.close();
    await writer.close();
  });

  test('are only listed with the setting, with annotations as writing tools', async () => {
    const { tools } = await amy.listTools();
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false).map(({ name }) => name);
    expect(writing).toEqual(Object.keys(WRITING_OPERATIONS));
    expect(toolList(false).map(({ name }) => name)).toEqual(Object.keys(TOOL_OPERATIONS));
  });

  test('create, change and practise a card with the rights of the caller', async () => {
    const input = { id: 'agents', subject: 'math', difficulty: 2, questionText: 'Add 2/3 and 1/6.' };
    const call = async (name: string, args: Record<string, unknown>): Promise<unknown> => {
      const { isError, structuredContent, content } = await amy.callTool({ name, arguments: args });
      return isError ? (content as { text: string }[])[0]?.text : structuredContent;
    };
    expect(await call('create_card', { input })).toMatchObject({ createCard: { id: 'agents', owner: 'amy' } });
    const change = { id: 'agents', input: { errorTypes: ['slip'] } };
    expect(await call('update_card', { ...change, expectedRevision: 1 })).toMatchObject({
      updateCard: { revision: 2 },
    });
    expect(await call('update_card', { ...change, expectedRevision: 1 })).toMatch(/^CONFLICT: /);
    expect(await call('update_card', change)).toMatch(/^BAD_USER_INPUT: /);
    const cleared = { id: 'agents', input: { errorTypes: null, grade: null }, expectedRevision: 2 };
    expect(await call('update_card', cleared)).toMatchObject({ updateCard: { revision: 3, errorTypes: [] } });
    const attempts = [{ key: '1', cardId: 'agents', correct: false }];
    for (const outcome of ['RECORDED', 'REPEATED']) {
      expect(await call('record_attempts', { attempts })).toMatchObject({ recordAttempts: [{ outcome }] });
    }
  });
});
