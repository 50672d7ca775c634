import { expect, test, vi } from 'vitest';
import { describeOwnChroma } from '../../support/embedded.js';
import { DAMAGES } from '../support/damage.js';
import { afterDamage } from '../support/damaged-index.js';
import { tell } from '../support/tally.js';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

describeOwnChroma('an index repairs itself after', () => {
  test.each(DAMAGES)('$name', async (damage) => {
    const { problems, lines } = await afterDamage(damage);
    tell({ damage: damage.name, problems: problems.length, log: [...new Set(lines)] });
    expect(problems).toEqual([]);
  });
});
