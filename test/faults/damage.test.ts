import { expect, test } from 'vitest';
import { describeOwnChroma } from '../support/embedded.js';
import { damageOf } from './support/damage.js';
import { afterDamage } from './support/damaged-index.js';

/** The rest of the damages are tried by `npm run test:faults`. */
describeOwnChroma('an index whose files were damaged repairs itself', () => {
  test('if every query of a collection fails, the index is rebuilt beside it', async () => {
    const { problems, lines } = await afterDamage(damageOf('the list of its records is cut off'));
    expect(problems).toEqual([]);
    expect(lines).toContain('rebuilding the index from PostgreSQL');
    expect(lines).not.toContain('Chroma crashes with its data; the data are moved aside');
  });

  test('if the server finds nothing without an error, the index is rebuilt', async () => {
    const { problems, lines } = await afterDamage(damageOf('the head of its graph is cut off'));
    expect(problems).toEqual([]);
    expect(lines).toContain('rebuilding the index from PostgreSQL');
  });

  test('if the server crashes on its data, the data is moved aside', async () => {
    const { problems, lines } = await afterDamage(damageOf('its database has other bytes'));
    expect(problems).toEqual([]);
    expect(lines).toContain('Chroma crashes with its data; the data are moved aside');
  });
});
