import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errata, errataInTime } from '../support/errata.js';
import { type Folder, makeFolder } from '../support/files.js';
import { type Gateway, startGateway } from '../support/gateway.js';
import { indexed } from '../support/notebook.js';

let gateway: Gateway;
let folder: Folder;
beforeAll(async () => {
  [gateway, folder] = await Promise.all([startGateway({ env: { SEED_SAMPLE: 'true' } }), makeFolder()]);
  await indexed(gateway);
});
afterAll(async () => {
  await Promise.all([gateway.close(), folder.remove()]);
});

interface Card {
  readonly id: string;
  readonly topicTags: readonly string[];
  readonly errorTypes: readonly string[];
}
interface Rung {
  readonly card: Card;
  readonly verdict: string;
  readonly reason: string;
  readonly successProbability: number;
}

describe('practising with the sample notebook', () => {
  test('a file of attempts is imported once, and its cards are due when FSRS says', async () => {
    const file = join(folder.path, 'attempts.csv');
    const rows = Array.from({ length: 700 }, (_, place) => {
      const day = new Date(Date.UTC(2026, 0, 1 + (place % 28), 8)).toISOString();
      return `sample-zh-${String(1 + (place % 100)).padStart(3, '0')},${place % 3 === 0 ? 0 : 1},${day},${place}`;
    });
    await writeFile(
      file,
      ['card_id,correct,at,duration_ms', ...rows, 'nobodys,1,2026-01-01,1', 'x,maybe,,', ''].join('\n'),
    );
    const args = ['attempts', 'import', file, '--url', gateway.url];
    const first = await errata(args);
    expect(first).toMatchObject({ code: 1 });
    expect(first.out).toContain(
      '700 recorded, 0 already recorded, 0 with the key of another attempt, 1 for an unknown card, 1 invalid rows',
    );
    expect(first.err).toContain('row 703');
    expect((await errata(args)).out).toContain('0 recorded, 700 already recorded');
    const { dueCards } = await gateway.must<{
      dueCards: { totalCount: number; dueReviews: number; nodes: { review: object }[] };
    }>('{ dueCards(first: 5) { totalCount dueReviews nodes { review { dueOn } successProbability } } }');
    expect(dueCards).toMatchObject({ totalCount: 50, dueReviews: 100 });
    const forecast = await gateway.must<{ reviewForecast: { reviews: number }[] }>(
      '{ reviewForecast { day reviews } }',
    );
    expect(forecast.reviewForecast).toHaveLength(30);
    expect(forecast.reviewForecast[0]?.reviews).toBe(100);
  });

  test('a ladder has other cards that train the mistake, with reasons, from easy to hard', async () => {
    const { practiceLadder } = await gateway.must<{ practiceLadder: { rungs: Rung[]; missing: string[] } }>(
      '{ practiceLadder(fromCardId: "sample-zh-002", first: 4, language: ZH) { missing rungs { card { id topicTags errorTypes } verdict perspective reason successProbability isLevelDown } } }',
    );
    expect(practiceLadder.rungs.length).toBeGreaterThan(1);
    expect(practiceLadder.rungs.map(({ card }) => card.id)).not.toContain('sample-zh-002');
    for (const { verdict, reason } of practiceLadder.rungs) {
      expect(verdict).toMatch(/^SAME_/);
      expect(reason).not.toBe('');
    }
    const chances = practiceLadder.rungs.map(({ successProbability }) => successProbability);
    expect(chances).toEqual(chances.toSorted((a, b) => b - a));
  });

  test('a ladder of an error or a topic has only cards with it', async () => {
    const query = `query ($error: String, $topic: String) {
      practiceLadder(errorType: $error, topicTag: $topic, first: 5) { missing rungs { card { id topicTags errorTypes } verdict reason } } }`;
    const ofError = await gateway.must<{ practiceLadder: { rungs: Rung[] } }>(query, { error: '概念混淆' });
    expect(ofError.practiceLadder.rungs.length).toBe(5);
    for (const { card } of ofError.practiceLadder.rungs) expect(card.errorTypes).toContain('概念混淆');
    const ofTopic = await gateway.must<{ practiceLadder: { rungs: Rung[]; missing: string[] } }>(query, {
      topic: '植树问题',
    });
    for (const { card } of ofTopic.practiceLadder.rungs) expect(card.topicTags).toContain('植树问题');
    const none = await gateway.must<{ practiceLadder: { rungs: Rung[]; missing: string[] } }>(query, {
      topic: 'no such topic',
    });
    expect(none.practiceLadder).toEqual({ rungs: [], missing: ['the notebook has 0 of 5 cards that train this'] });
  });

  test('a sibling can stand in for a due card, and its attempt counts for the review', async () => {
    const query =
      '{ dueCards(first: 10, serve: SIBLING) { nodes { card { id } review { reps } sibling { card { id } verdict } } } }';
    interface Due {
      readonly card: { readonly id: string };
      readonly review: { readonly reps: number };
      readonly sibling: { readonly card: { readonly id: string }; readonly verdict: string } | null;
    }
    const { nodes } = (await gateway.must<{ dueCards: { nodes: Due[] } }>(query)).dueCards;
    const served = nodes.flatMap(({ sibling }) => (sibling === null ? [] : [sibling.card.id]));
    expect(served.length).toBeGreaterThan(2);
    const all = [...served, ...nodes.map(({ card }) => card.id)];
    expect(new Set(all).size).toBe(all.length);
    const due = nodes.find(({ sibling }) => sibling !== null) as Due;
    const attempt = { key: 'sibling', cardId: due.sibling?.card.id, reviewOf: due.card.id, correct: true };
    const { recordAttempts } = await gateway.must<{ recordAttempts: { outcome: string }[] }>(
      'mutation ($attempts: [AttemptInput!]!) { recordAttempts(attempts: $attempts) { outcome } }',
      { attempts: [attempt] },
    );
    expect(recordAttempts).toEqual([{ outcome: 'RECORDED' }]);
    const after = (await gateway.must<{ dueCards: { nodes: Due[] } }>(query)).dueCards.nodes;
    expect(after.map(({ card }) => card.id)).not.toContain(due.card.id);
  });

  test.each([
    [['--ladder', 'sample-zh-002', '--top', '4'], 2],
    [['--due', '--top', '3', '--with-siblings', '2'], 4],
    [['--fingerprint', '--with-siblings', '1'], 3],
    [['--error', '概念混淆', '--top', '5'], 5],
  ])('cards to practise are exported by %j, each once', async (choice, least) => {
    const path = join(folder.path, `${choice[0]}.jsonl`);
    const ended = await errataInTime(['export', path, ...choice, '--url', gateway.url]);
    expect(ended).toMatchObject({ code: 0 });
    const ids = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids.length).toBeGreaterThanOrEqual(least);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('cards to practise become a paper with answers, and a file for Anki', async () => {
    const paper = join(folder.path, 'paper.md');
    const due = ['--due', '--top', '3', '--url', gateway.url];
    expect(await errataInTime(['export', paper, ...due])).toMatchObject({ code: 0 });
    expect(await readFile(paper, 'utf8')).toContain('## Answers');
    const notes = join(folder.path, 'notes.txt');
    expect(await errataInTime(['export', notes, '--format', 'anki', ...due])).toMatchObject({ code: 0 });
    expect((await readFile(notes, 'utf8')).split('\n').filter((line) => line.includes('\t'))).toHaveLength(3);
    const both = await errata(['export', paper, '--due', '--topic', 'x', '--url', gateway.url]);
    expect(both).toMatchObject({ code: 64, err: expect.stringContaining('cannot be combined') });
  });

  test('mistakes are counted by student and by class', async () => {
    interface Cell {
      readonly errorType: string;
      readonly mistakes: number;
      readonly cards: readonly Card[];
    }
    const { mistakeFingerprint } = await gateway.must<{
      mistakeFingerprint: { cells: Cell[]; mostWorth: Cell[]; repeatOffences: { times: number }[] };
    }>(`{ mistakeFingerprint {
      cells { errorType topicTag mistakes inferred lastAt trend { ratio low high } cards { id } }
      mostWorth { errorType score successProbability cards { id errorTypes } }
      repeatOffences { errorType times rightBetween card { id } } unlabelled } }`);
    expect(mistakeFingerprint.cells.length).toBeGreaterThan(10);
    expect(mistakeFingerprint.mostWorth).toHaveLength(3);
    expect(mistakeFingerprint.repeatOffences[0]?.times).toBeGreaterThan(0);
    const save = 'mutation { saveStudentGroup(input: { name: "6a", owners: ["default"] }) { owners } }';
    expect(await gateway.must(save)).toEqual({ saveStudentGroup: { owners: ['default'] } });
    const { classOverview } = await gateway.must<{
      classOverview: { students: number; errors: object[]; suppressed: number };
    }>(
      '{ classOverview(group: "6a") { students errors { name } needsHelp { ownerId topicTag } suppressed minStudents } }',
    );
    expect(classOverview).toMatchObject({ students: 1, errors: [], minStudents: 3 });
    expect(classOverview.suppressed).toBeGreaterThan(10);
    const { mastery } = await gateway.must<{
      mastery: { totalCount: number; nodes: { low: number; ability: number }[] };
    }>('{ mastery(first: 10) { totalCount nodes { kind name ability low high successProbability attempts right } } }');
    expect(mastery.totalCount).toBeGreaterThan(10);
  });
});
