import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Breaker } from '../../../chroma/breaker.js';
import { BadInputError, IndexLostError, UnavailableError } from '../../../src/domain/errors.js';

const away = new UnavailableError('chroma', 'the vector server does not answer');

/** A breaker before a server that fails with `server.failure`, with a clock that the test moves. */
function world() {
  const server: { failure: Error | null; probeFailure: Error | null } = { failure: away, probeFailure: away };
  const seen = { calls: 0, probes: 0 };
  let now = 0;
  const probe = async (): Promise<void> => {
    seen.probes += 1;
    if (server.probeFailure !== null) throw server.probeFailure;
  };
  const breaker = new Breaker(probe, () => now);
  const call = async (): Promise<'answered' | 'failed' | 'turned away'> => {
    const before = seen.calls;
    try {
      await breaker.run(async () => {
        seen.calls += 1;
        if (server.failure !== null) throw server.failure;
      });
      return 'answered';
    } catch {
      return seen.calls === before ? 'turned away' : 'failed';
    } finally {
      // The probe that the call may have sent.
      await new Promise(setImmediate);
    }
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { server, seen, breaker, call, pass };
}

async function opened() {
  const made = world();
  for (let failure = 0; failure < 3; failure += 1) expect(await made.call()).toBe('failed');
  return made;
}

describe('the breaker', () => {
  test('reports once a minute that the server is stuck while probes fail, and stops after one succeeds', async () => {
    const { server, breaker, call, pass } = await opened();
    let said = 0;
    breaker.onStuck(() => {
      said += 1;
    });
    const minute = async (): Promise<void> => {
      for (let second = 0; second < 60; second += 1) {
        pass(1_000);
        await call();
      }
    };
    // The first of these minutes lacks a second.
    pass(-1_000);
    await minute();
    expect(said).toBe(0);
    await minute();
    expect(said).toBe(1);
    await minute();
    expect(said).toBe(2);
    server.probeFailure = null;
    await minute();
    expect(said).toBe(2);
  });

  test('opens after three consecutive failures, but not if a success is in between', async () => {
    const { server, breaker, call } = world();
    await call();
    await call();
    server.failure = null;
    expect(await call()).toBe('answered');
    server.failure = away;
    await call();
    await call();
    expect(breaker.state).toBe('closed');
    await call();
    expect(breaker.state).toBe('open');
    expect(await call()).toBe('turned away');
  });

  test.each([
    ['a lost collection', new IndexLostError('a collection of the index is missing')],
    ['a call that was refused', new BadInputError('x', 'is wrong')],
    ['a mistake in the caller', new TypeError('undefined is not a function')],
  ])('does not take %s for an outage: the server answered', async (_what, failure) => {
    const { server, breaker, call } = world();
    server.failure = failure;
    for (let round = 0; round < 10; round += 1) expect(await call()).toBe('failed');
    expect(breaker.state).toBe('closed');
  });

  test('sends at most one probe per second, only on calls, which do not wait for it', async () => {
    const { seen, call, pass } = await opened();
    for (let round = 0; round < 5; round += 1) await call();
    expect(seen.probes).toBe(0);
    pass(1_000);
    for (let round = 0; round < 5; round += 1) expect(await call()).toBe('turned away');
    expect(seen.probes).toBe(1);
    pass(999);
    await call();
    expect(seen.probes).toBe(1);
    pass(1);
    await call();
    expect(seen.probes).toBe(2);
  });

  test('closes after a successful probe, and opens again at the first failure', async () => {
    const { server, seen, breaker, call, pass } = await opened();
    server.probeFailure = null;
    pass(1_000);
    expect(await call()).toBe('turned away');
    expect(breaker.state).toBe('closed');
    expect(await call()).toBe('failed');
    expect(breaker.state).toBe('open');
    pass(1_000);
    await call();
    server.failure = null;
    expect(await call()).toBe('answered');
    server.failure = away;
    expect(await call()).toBe('failed');
    expect(breaker.state).toBe('closed');
    expect(seen.probes).toBe(2);
  });

  test('reports each recovery once, until listeners unsubscribe', async () => {
    const { server, breaker, call, pass } = await opened();
    let told = 0;
    const forget = breaker.onRecovery(() => {
      told += 1;
    });
    server.probeFailure = null;
    server.failure = null;
    pass(1_000);
    await call();
    await call();
    expect(told).toBe(1);
    breaker.reset();
    expect(told).toBe(1);
    forget();
    server.failure = away;
    for (let failure = 0; failure < 3; failure += 1) await call();
    breaker.reset();
    expect(told).toBe(1);
    expect(breaker.state).toBe('closed');
  });

  test('is open for at most a second after the server is back, whatever happened before', async () => {
    const step = fc.record({ up: fc.boolean(), passMs: fc.integer({ min: 0, max: 3_000 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { server, call, pass } = world();
        for (const { up, passMs } of steps) {
          server.failure = up ? null : away;
          server.probeFailure = server.failure;
          pass(passMs);
          await call();
        }
        server.failure = null;
        server.probeFailure = null;
        pass(1_000);
        await call();
        expect(await call()).toBe('answered');
      }),
    );
  });
});
