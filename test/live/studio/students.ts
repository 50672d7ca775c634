/** A school whose students have mistakes of one kind. */
import { beforeAll, expect } from 'vitest';
import { browserPath } from '../../support/browser.js';
import type { Api } from '../../support/gateway.js';
import { indexed } from '../../support/notebook.js';
import { TOKEN_SETTINGS, tokenOf } from '../../support/tokens.js';
import { type Studio, studioOf, Visitor, WAYS } from './visitor.js';

const QUESTIONS = ['-2x>6', '5-3x<14', '-x\\ge 4', '7-2x>1'];

/** Four mistakes of one kind. */
async function studentWithCards(gateway: Api, student: string, extra: object = {}): Promise<void> {
  const token = await tokenOf({ sub: student });
  const inputs = QUESTIONS.map((formula, place) => ({
    id: `${student}-${place}`,
    subject: 'math',
    difficulty: 2,
    questionText: `Solve the inequality $${formula}$`,
    studentSolutionText: 'I divided and kept the sign.',
    goldSolutionBrief: `Dividing by a negative number turns the sign (${place}).`,
    topicTags: ['linear inequalities'],
    errorTypes: ['sign error'],
    ...(place === 0 && extra),
  }));
  const { errors } = await gateway
    .as(token)
    .gql('mutation ($inputs: [CreateCardInput!]!) { createCards(inputs: $inputs) { card { id } } }', { inputs });
  expect(errors).toBeUndefined();
}

/** For the tests of a file, a studio with kim, lee, max, and an amy for each way. */
export function studioWithStudents(): Studio {
  const studio = studioOf(TOKEN_SETTINGS);
  beforeAll(async () => {
    if (browserPath === null) return;
    const { gateway } = studio;
    for (const student of ['kim', 'lee', 'max']) {
      await studentWithCards(gateway, student, student === 'kim' ? { topicTags: ['told of nobody'] } : {});
    }
    await Promise.all(WAYS.map(([, way]) => studentWithCards(gateway, `amy-${new Visitor(way).mark}`)));
    await indexed(gateway.as(await tokenOf({ sub: 'kim' })));
  });
  return studio;
}
