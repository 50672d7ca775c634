import type { Config, Server } from '../config/settings.js';

/** Position of the second column. */
const INDENT = 14;

export interface Started {
  readonly config: Config;
  /** Where GraphQL listens. */
  readonly url: string;
  readonly databaseUrl: string;
  readonly chromaUrl: string;
  readonly pid: number;
}

/** Printed after the start: where everything runs, how to stop it, and what to try first. */
export function startedText({ config, url, databaseUrl, chromaUrl, pid }: Started): string {
  const hasStudio = config.operationsFile === null || config.operationsStudio;
  const rows = {
    ...(hasStudio && otherName(config, url) === null && { Studio: new URL('.', url).href }),
    PostgreSQL: place(databaseUrl, config.database, 'DATABASE_URL'),
    Chroma: place(chromaUrl, config.chroma, 'CHROMA_URL'),
    Data: config.dataDir,
    Access: access(config.auth),
    Stop: `Ctrl-C, or kill ${pid}`,
  };
  const lines = Object.entries(rows).map(([name, text]) => `  ${name}`.padEnd(INDENT) + text);
  return [`Errata is listening on ${url}`, '', ...lines, ...example(config, url), ''].join('\n');
}

/** Without its password. */
function place(url: string, { kind }: Server, setting: string): string {
  const { host, pathname } = new URL(url);
  return kind === 'embedded' ? `${host}, embedded` : `${host}${pathname} (${setting})`;
}

function access(auth: Config['auth']): string {
  if (auth === null) {
    return `no authentication: every program on this machine can read and change everything
${' '.repeat(INDENT)}(set API_KEYS, JWT_SECRET or JWT_JWKS_URL to require credentials)`;
  }
  const kinds = [...(auth.apiKeys ? ['API keys'] : []), ...(auth.tokens === null ? [] : ['tokens'])];
  return kinds.join(' and ');
}

/** A name that requests must have if the address is refused; else null. */
function otherName({ allowedHosts }: Config, url: string): string | null {
  return allowedHosts === null || allowedHosts.includes(new URL(url).hostname) ? null : (allowedHosts[0] ?? null);
}

/** A request that is answered; none if only persisted operations are accepted. */
function example(config: Config, url: string): readonly string[] {
  const { production, auth, operationsFile } = config;
  if (operationsFile !== null) return [];
  const name = otherName(config, url);
  if (!production && auth === null && name === null) {
    const query =
      '{ byError(text: "sign error", topK: 3) { hits { score card { questionText studentSolutionText } } } }';
    return ['', 'Open the studio in a browser, or send this query:', '', `  ${query}`];
  }
  const host = name === null ? '' : ` -H 'host: ${name}'`;
  const token = auth === null ? '' : ` -H "authorization: Bearer $ERRATA_TOKEN"`;
  const body = JSON.stringify({ query: '{ indexStatus { cards indexed } }' });
  const needed = auth === null ? '' : ', with a credential in ERRATA_TOKEN (docs/access.md)';
  const command = `curl ${url}${host} -H 'content-type: application/json'${token} -d '${body}'`;
  return ['', `Try this${needed}:`, '', `  ${command}`];
}
