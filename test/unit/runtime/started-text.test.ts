import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/settings.js';
import { startedText } from '../../../src/runtime/started-text.js';

function textOf(env: Readonly<Record<string, string>>): string {
  return startedText({
    config: parseConfig({ DATA_DIR: '/srv/errata', ...env }),
    url: 'http://127.0.0.1:4000/graphql',
    databaseUrl: 'postgresql://someone:very-secret@127.0.0.1:5433/errata',
    chromaUrl: 'http://127.0.0.1:8001',
    pid: 4242,
  });
}

describe('the message after the start', () => {
  test('has the addresses, the access, how to stop and what to try', () => {
    expect(textOf({})).toBe(`Errata is listening on http://127.0.0.1:4000/graphql

  Studio      http://127.0.0.1:4000/
  PostgreSQL  127.0.0.1:5433, embedded
  Chroma      127.0.0.1:8001, embedded
  Data        /srv/errata
  Access      no authentication: every program on this machine can read and change everything
              (set API_KEYS, JWT_SECRET or JWT_JWKS_URL to require credentials)
  Stop        Ctrl-C, or kill 4242

Open the studio in a browser, or send this query:

  { byError(text: "sign error", topK: 3) { hits { score card { questionText studentSolutionText } } } }
`);
  });

  test('has a command in production, and no password', () => {
    const text = textOf({
      NODE_ENV: 'production',
      API_KEYS: 'true',
      DATABASE_URL: 'postgresql://someone:very-secret@127.0.0.1:5433/errata',
    });
    expect(text).not.toMatch(/browser|sandbox|very-secret/i);
    expect(text).toContain('PostgreSQL  127.0.0.1:5433/errata (DATABASE_URL)');
    expect(text).toContain('Access      API keys\n');
    expect(text).toContain(
      `curl http://127.0.0.1:4000/graphql -H 'content-type: application/json' -H "authorization: Bearer $ERRATA_TOKEN" -d '{"query":"{ indexStatus { cards indexed } }"}'`,
    );
  });

  test('has a request that is answered where credentials or host names are required', () => {
    const url = 'http://127.0.0.1:4000/graphql';
    const sent = `-H 'content-type: application/json'`;
    const body = `-d '{"query":"{ indexStatus { cards indexed } }"}'`;
    const withKey = textOf({ API_KEYS: 'true' });
    expect(withKey).not.toContain('byError');
    expect(withKey).toContain('Try this, with a credential in ERRATA_TOKEN (docs/access.md):');
    expect(withKey).toContain(`curl ${url} ${sent} -H "authorization: Bearer $ERRATA_TOKEN" ${body}\n`);
    const named = textOf({ ALLOWED_HOSTS: 'errata.example.org,[::1]' });
    expect(named).toContain(`Try this:\n\n  curl ${url} -H 'host: errata.example.org' ${sent} ${body}\n`);
    expect(named).not.toContain('Studio');
    expect(textOf({ ALLOWED_HOSTS: '127.0.0.1' })).toMatch(/Studio.*byError/s);
  });

  test('has the address of the studio if that can be used', () => {
    const env = { OPERATIONS_FILE: '/srv/operations.json' };
    expect(textOf(env)).not.toContain('Studio');
    expect(textOf({ ...env, OPERATIONS_STUDIO: 'true' })).toContain('  Studio      http://127.0.0.1:4000/\n');
  });

  test('has no example if only listed operations are accepted', () => {
    expect(textOf({ OPERATIONS_FILE: '/srv/operations.json' })).not.toMatch(/try/i);
  });
});
