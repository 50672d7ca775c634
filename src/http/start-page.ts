import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RefusedRequest } from './errors.js';

const STYLE = `
  :root { color-scheme: light dark; }
  body { margin: 4rem auto; max-width: 42rem; padding: 0 1rem; font: 1rem/1.6 system-ui, sans-serif; }
  pre { padding: 1rem; border: 1px solid; border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; }
  dt { margin-top: .8rem; }
  dd { margin: 0; opacity: .75; }
`;

/** Nothing is loaded, nothing runs: the page has one style of its own. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface Wording {
  readonly about: string;
  readonly tryIt: string;
  readonly example: string;
  readonly api: string;
  readonly sandbox: string;
  readonly readme: string;
  readonly readmeFile: string;
  readonly docsFolder: string;
  readonly health: string;
}

const WORDING: Readonly<Record<'en' | 'zh-CN', Wording>> = {
  en: {
    about:
      'A GraphQL API that searches mistake notes (错题): which questions are like this one, who made the same error, what to practise next.',
    tryIt: 'A first query, which needs no internet:',
    example: 'byConcept(text: "discriminant of a quadratic", topK: 3)',
    api: 'GraphQL operations are sent to /graphql by POST.',
    sandbox: 'write queries in the browser; it is loaded from the internet, and stays blank without it',
    readme: 'what it answers, and where to go on:',
    readmeFile: 'README.md',
    docsFolder: 'docs',
    health: 'whether it can answer now',
  },
  'zh-CN': {
    about: '检索错题的 GraphQL 接口：哪些题和这道题相似，谁犯过同样的错误，接下来该练什么。',
    tryIt: '第一条查询，不需要联网：',
    example: 'similarQuestions(text: "10 g 盐放进 40 g 水，溶质质量分数是多少", topK: 3)',
    api: 'GraphQL 操作用 POST 发到 /graphql。',
    sandbox: '在浏览器里写查询；它要从互联网加载，断网时是空白页',
    readme: '它回答什么，接着看什么：',
    readmeFile: 'README.zh-CN.md',
    docsFolder: 'docs/zh-CN',
    health: '现在能否应答',
  },
};

type Language = keyof typeof WORDING;

/** Whether a browser asks, and not a program. */
export function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') ?? false;
}

/**
 * `/` for a person who opens the address in a browser, and the documents that it links to, which are in `folder`. In production it
 * has no example and no link to Apollo Sandbox.
 */
export function startPage({ production, folder }: { readonly production: boolean; readonly folder: string }) {
  return async (http: FastifyInstance): Promise<void> => {
    const open = { config: { open: true } } as const;
    const docs = { en: await documentsOf('en', folder), 'zh-CN': await documentsOf('zh-CN', folder) };
    http.get('/', open, async (request, reply) => {
      if (!wantsPage(request)) throw new RefusedRequest(404, 'NOT_FOUND', 'there is nothing at this address');
      const language = languageOf(request.headers['accept-language'] ?? '');
      // The guard has refused whatever is not the name of a host: this one is safe in HTML and in a shell.
      const host = production ? null : String(request.headers.host);
      return reply
        .headers({ 'content-security-policy': POLICY, 'content-language': language, vary: 'accept, accept-language' })
        .type('text/html; charset=utf-8')
        .send(pageOf(language, docs[language], host));
    });
    for (const file of Object.values(docs).flat()) {
      http.get(`/${file}`, open, async (_, reply) =>
        reply.type('text/plain; charset=utf-8').send(await readFile(join(folder, file), 'utf8')),
      );
    }
  };
}

/** The README first. */
async function documentsOf(language: Language, folder: string): Promise<readonly string[]> {
  const { readmeFile, docsFolder } = WORDING[language];
  const names = (await readdir(join(folder, docsFolder))).filter((name) => name.endsWith('.md')).sort();
  return [readmeFile, ...names.map((name) => `${docsFolder}/${name}`)];
}

/** Of the languages that a browser asks for, in their order, the first that there is. */
function languageOf(header: string): Language {
  const asked = header.split(',').map((one) => {
    const [tag = '', quality] = one.trim().split(/\s*;\s*q=/);
    return { tag: tag.toLowerCase(), quality: quality === undefined ? 1 : Number(quality) };
  });
  const known = asked.filter(({ tag, quality }) => /^(zh|en)(-|$)/.test(tag) && quality > 0);
  const [best] = known.sort((a, b) => b.quality - a.quality);
  return best?.tag.startsWith('zh') ? 'zh-CN' : 'en';
}

/** The page, with an example for this host; null: without an example. All its links are relative, as a proxy may add a prefix. */
function pageOf(language: Language, [readme = '', ...docs]: readonly string[], host: string | null): string {
  const wording = WORDING[language];
  const query = `{ ${wording.example} { hits { score card { questionText } } } }`;
  const command = `curl http://${host}/graphql -H 'content-type: application/json' -d '${JSON.stringify({ query })}'`;
  const links = docs.map((file) => `<a href="${file}">${basename(file, '.md')}</a>`);
  const entries = [
    ...(host === null ? [] : [{ href: 'graphql?sandbox', name: 'Apollo Sandbox', says: wording.sandbox }]),
    { href: readme, name: 'README', says: [wording.readme, ...links].join(' ') },
    { href: 'readyz', name: '/readyz', says: wording.health },
  ];
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Errata</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Errata</h1>
<p>${wording.about}</p>
${host === null ? `<p>${wording.api}</p>` : `<p>${wording.tryIt}</p>\n<pre>${escaped(command)}</pre>`}
<dl>
${entries.map(({ href, name, says }) => `<dt><a href="${href}">${name}</a></dt><dd>${says}</dd>`).join('\n')}
</dl>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
