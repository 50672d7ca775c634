import { expect, test } from 'vitest';
import { onPort } from '../../../src/runtime/embedded/port.js';

test.each(['Address 127.0.0.1:40215 is not available', 'could not bind: Address already in use'])(
  'a server whose port was taken for a moment is started on another one: %s',
  async (said) => {
    const ports: number[] = [];
    const started = await onPort(null, async (port) => {
      ports.push(port);
      if (ports.length < 3) throw new Error(said);
      return port;
    });
    expect(ports).toHaveLength(3);
    expect(started).toBe(ports[2]);
  },
);

test('a server that fails for another reason is not started again', async () => {
  let starts = 0;
  const start = async (): Promise<never> => {
    starts += 1;
    throw new Error('the disk is full');
  };
  await expect(onPort(null, start)).rejects.toThrow('the disk is full');
  expect(starts).toBe(1);
});
