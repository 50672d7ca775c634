import { beforeAll, expect, test } from 'vitest';
import { writeEmbedder } from '../../bench/tiny-models.js';
import { UnavailableError } from '../../src/domain/errors.js';
import { ProcessGoneError } from '../../src/models/inference/process.js';
import { closing, localModel, modelFolder, never, newInference, testLog } from '../support/models.js';
import { until } from '../support/until.js';

const folder = await modelFolder();
const close = closing();

const plain = localModel(folder, 'tiny/plain');
const hanging = localModel(folder, 'tiny/hanging');
const texts = (...all: string[]) => ({ model: plain, query: null, texts: all });

beforeAll(async () => {
  await writeEmbedder(folder, 'tiny/plain', { dims: 16 });
  await writeEmbedder(folder, 'tiny/hanging', { dims: 16, hangsOn: '错' });
});

test('killed during a job: the next process repeats the job without an error', async () => {
  const inference = close(newInference());
  const before = await inference.run(texts('解方程'), never);
  const { pid } = inference;
  if (pid === null) throw new Error('no process');
  const running = inference.run(texts('解方程'), never);
  process.kill(pid, 'SIGKILL');
  expect((await running).values).toEqual(before.values);
  expect(inference.pid).not.toBe(pid);
});

test('killed while idle: it is restarted for the next job, with a log line', async () => {
  const log = testLog();
  const inference = close(newInference(log));
  await inference.run(texts('解方程'), never);
  const { pid } = inference;
  if (pid === null) throw new Error('no process');
  process.kill(pid, 'SIGKILL');
  await until(() => inference.pid !== pid && inference.pid !== null, { deadlineMs: 30_000, what: 'another process' });
  expect((await inference.run(texts('解方程'), never)).problems).toEqual([null]);
  expect(log.lines.map(({ message }) => message)).toContain('inference is down and will be restarted');
});

test('a run that hangs kills the process, but the following jobs are done', async () => {
  const inference = close(newInference());
  await inference.run({ ...texts('解方程'), model: hanging }, never);
  const poison = inference.run({ model: hanging, query: null, texts: ['计算错误', '解方程'] }, never);
  const behind = inference.run(texts('求圆的面积'), never);
  await expect(poison).rejects.toThrow(ProcessGoneError);
  expect((await behind).problems).toEqual([null]);
});

test('a text that crashes the process twice alone is given up', async () => {
  const inference = close(newInference());
  await inference.run({ ...texts('解方程'), model: hanging }, never);
  await expect(inference.run({ model: hanging, query: null, texts: ['计算错误'] }, never)).rejects.toThrow(
    /a run did not end within/,
  );
});

test('has ended after close, whatever it was doing', async () => {
  const inference = newInference();
  await inference.run(texts('解方程'), never);
  const { pid } = inference;
  if (pid === null) throw new Error('no process');
  const hangs = inference.run({ model: hanging, query: null, texts: ['计算错误'] }, never).catch((error) => error);
  await inference.close();
  expect(await hangs).toBeInstanceOf(Error);
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  await expect(inference.run(texts('x'), never)).rejects.toThrow(UnavailableError);
});
