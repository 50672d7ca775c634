import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../../src/config/settings.js';

import { validate } from './compose-schema.js';

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly profiles?: readonly string[];
  readonly deploy?: { readonly replicas: number };
  readonly restart?: string;
  readonly stop_grace_period?: string;
}

const text = readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');
const dockerfile = readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8');
const compose = read(text) as { services: Record<string, Service>; volumes: Record<string, unknown> };
const services = Object.entries(compose.services);

describe('docker-compose.yml', () => {
  test('is valid by the Compose Specification', () => {
    expect(validate(compose) ? [] : validate.errors).toEqual([]);
  });

  test('publishes every port on the loopback alone', () => {
    const ports = services.flatMap(([, { ports = [] }]) => ports);
    expect(ports).toHaveLength(4);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+(-\d+)?:\d+$/);
  });

  test('documents the addresses for running the tests against it', () => {
    const { postgres, chroma } = compose.services;
    expect(postgres?.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:25432:/)]);
    expect(chroma?.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:28000:/)]);
    expect(text).toContain(
      'DATABASE_URL=postgresql://errata:errata@127.0.0.1:25432/errata CHROMA_URL=http://127.0.0.1:28000 npm test',
    );
  });

  test('pins every image to a full version', () => {
    const images = services.map(([, { image }]) => image);
    for (const image of images) expect(image).toMatch(/^[a-z/]+:\d+\.\d+(\.\d+)?(-[a-z]+)?$/);
  });

  test('keeps persistent data in named volumes at the paths of the images', () => {
    expect(Object.fromEntries(services.map(([name, { volumes }]) => [name, volumes]))).toEqual({
      postgres: ['postgres:/var/lib/postgresql'],
      chroma: ['chroma:/data'],
      gateway: ['gateway:/data'],
      replicas: ['/data'],
    });
    expect(Object.keys(compose.volumes).sort()).toEqual(['chroma', 'gateway', 'postgres']);
    expect(dockerfile).toMatch(/DATA_DIR=\/data\b/);
  });

  test('has a health check for every service', () => {
    const own = compose.services.gateway?.image;
    for (const [name, { healthcheck, image }] of services) {
      // The gateways' check is in their image.
      expect([name, healthcheck !== undefined || (image === own && /^HEALTHCHECK /m.test(dockerfile))]).toEqual([
        name,
        true,
      ]);
    }
  });

  test('starts the gateway when both servers are healthy, and gives it their addresses', () => {
    const { gateway } = compose.services;
    expect(gateway?.depends_on).toEqual({
      postgres: { condition: 'service_healthy' },
      chroma: { condition: 'service_healthy' },
    });
    const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = compose.services.postgres?.environment ?? {};
    expect(gateway?.environment).toMatchObject({
      DATABASE_URL: `postgresql://${POSTGRES_USER}:${POSTGRES_PASSWORD}@postgres:5432/${POSTGRES_DB}`,
      CHROMA_URL: 'http://chroma:8000',
    });
  });

  test('runs the gateway with authentication, without which it would only listen inside its container', () => {
    const { gateway } = compose.services;
    expect(() => parseConfig({ HOST: '0.0.0.0', ...gateway?.environment })).not.toThrow();
    expect(text).toContain('docker compose exec gateway node dist/src/cli/errata.js keys create');
  });

  test('starts further gateways only with the profile, each with its own data directory and port', () => {
    const { gateway, replicas } = compose.services;
    expect(replicas).toMatchObject({
      profiles: ['replicas'],
      image: gateway?.image,
      environment: gateway?.environment,
    });
    expect(replicas?.depends_on).toEqual({ ...gateway?.depends_on, gateway: { condition: 'service_healthy' } });
    const [, first, last] = /:(\d+)-(\d+):4000$/.exec(replicas?.ports?.[0] ?? '') ?? [];
    expect(Number(last) - Number(first) + 1).toBe(replicas?.deploy?.replicas);
    expect(gateway?.ports?.[0]).toMatch(/:4000:4000$/);
    expect(replicas?.volumes).toEqual(['/data']);
    expect(text).toContain('docker compose --profile replicas up');
  });

  test('restarts every service, and gives it time to stop', () => {
    for (const [name, { restart, stop_grace_period }] of services) {
      expect([name, restart, stop_grace_period]).toEqual([name, 'unless-stopped', expect.stringMatching(/^\d+s$/)]);
    }
  });
});

/** The file as Compose reads it where no variable is set. */
function read(yaml: string): unknown {
  return parse(interpolate(yaml));
}

/** `${NAME:-default}` as its default; `$$` as `$`. Every variable has a default. */
function interpolate(yaml: string): string {
  return yaml.replace(/\$\{[A-Z_]+:-([^}]*)\}|\$\$/g, (found, value: string) => (found === '$$' ? '$' : value));
}
