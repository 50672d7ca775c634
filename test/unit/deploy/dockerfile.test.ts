import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { startHttpServer } from '../../support/http-server.js';

const root = new URL('../../../', import.meta.url);
const dockerfile = readFileSync(new URL('Dockerfile', root), 'utf8').replaceAll('\\\n', '');
const stages = dockerfile.split(/^(?=FROM )/m).filter((stage) => stage.startsWith('FROM '));
const runtime = stages.at(-1) ?? '';

describe('the image', () => {
  test('is built and run on one pinned Debian with a sufficient glibc for Chroma', () => {
    expect(stages).toHaveLength(2);
    const bases = stages.map((stage) => stage.match(/^FROM (\S+)/)?.[1]);
    expect(new Set(bases).size).toBe(1);
    expect(bases[0]).toMatch(/^node:24\.\d+\.\d+-trixie-slim$/);
  });

  test('runs node itself, not as root, so that it gets the signal to stop', () => {
    expect(runtime).toMatch(/^USER node$/m);
    expect(runtime).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(runtime).toMatch(/^CMD \["node", "dist\/src\/main\.js"\]$/m);
    expect(runtime).not.toMatch(/^ENTRYPOINT/m);
  });

  test('is in production mode and listens where the container can be reached', () => {
    expect(runtime).toMatch(/^ENV .*\bNODE_ENV=production\b/m);
    expect(runtime).toMatch(/^ENV .*\bHOST=0\.0\.0\.0\b/m);
  });

  test('sets up memory allocation as `npm start` does', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    const threshold = /\bMALLOC_MMAP_THRESHOLD_=\d+/.exec(scripts.start)?.[0] ?? 'none';
    expect(runtime).toContain(`ENV ${threshold}\n`);
  });

  test('has every file of the package that the program reads', () => {
    const copied = [...runtime.matchAll(/^COPY --from=build (.*) \S+$/gm)].flatMap(([, sources]) =>
      String(sources).split(' '),
    );
    const folders = ['src', 'prisma', 'resolvers', 'chroma'].map((name) => fileURLToPath(new URL(name, root)));
    const sources = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(join(folder, name), 'utf8')),
    );
    const read = sources.flatMap((source) =>
      [...source.matchAll(/packageRoot\(\), ('[^)]*')/g)].map(([, parts]) => String(parts).replaceAll(/', '|'/g, '/')),
    );
    // A path that ends in a variable is that of a file in the folder before it.
    const isCopied = (path: string): boolean => copied.some((one) => `/app${path}/`.startsWith(`${one}/`));
    expect(read.length).toBeGreaterThan(5);
    expect(read.filter((path) => !isCopied(path.replace(/\/[^/]*,.*$/, '').replace(/\/$/, '')))).toEqual([]);
  });

  test.each([
    ['alive', 200, 0],
    ['not well', 503, 1],
  ])('reports a gateway that is %s', async (_what, status, exitCode) => {
    const gateway = await startHttpServer((request, response) => {
      response.writeHead(request.url === '/healthz' ? status : 404).end();
    });
    try {
      expect(await checkHealth(gateway.port)).toBe(exitCode);
    } finally {
      await gateway.close();
    }
  });

  test('reports a missing gateway', async () => {
    const gone = await startHttpServer(() => undefined);
    await gone.close();
    expect(await checkHealth(gone.port)).toBe(1);
  });
});

/** The exit code of the image's health check, run as it stands there against a port of this machine. */
async function checkHealth(port: number): Promise<number> {
  const [, command] = runtime.match(/^HEALTHCHECK .*?CMD (\[.*\])$/m) ?? [];
  const [node, ...args] = JSON.parse(command ?? 'null') as string[];
  expect(node).toBe('node');
  const [code] = await once(spawn(process.execPath, args, { env: { PORT: String(port) }, stdio: 'ignore' }), 'exit');
  return code as number;
}
