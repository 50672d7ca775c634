import { afterAll, beforeAll, test } from 'vitest';
import { openSchool, school } from './school.js';
// Their tests share one school and its gateway, whose start takes longer than they do.
import './evaluations.js';
import './files.js';
import './subscriptions.js';

beforeAll(async () => void Object.assign(school, await openSchool()), 120_000);
afterAll(() => school.close());

test('no log line contains stored, searched or uploaded text, or a credential', () => {
  school.expectCleanLog();
});
