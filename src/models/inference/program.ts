/**
 * The inference process: forked by the gateway, it loads models and runs jobs in order. A separate process, because a
 * hanging native run can only be stopped by killing its process. It ends with the gateway.
 */
import { setImmediate } from 'node:timers/promises';
import { asError } from '../../domain/errors.js';
import { LoadedModel } from './loaded.js';
import type { Job, LocalModel, News, Order } from './protocol.js';

const models = new Map<string, Promise<LoadedModel>>();
const cancelled = new Set<number>();
const queue: Exclude<Order, { kind: 'cancel' }>[] = [];
let working = false;

process.on('message', (order: Order) => {
  if (order.kind === 'cancel') cancelled.add(order.id);
  else {
    queue.push(order);
    if (!working) void work();
  }
});
// The gateway has ended or disconnected: there is no state to save, and a native run cannot be interrupted.
process.on('disconnect', end);
// It may have ended while the modules were loaded.
if (!process.connected) end();
process.on('SIGINT', () => undefined);
tell({ kind: 'ready' });

function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function work(): Promise<void> {
  working = true;
  for (let order = queue.shift(); order !== undefined; order = queue.shift()) {
    if (order.kind === 'unload') await unload(order.model);
    else {
      tell(await answer(order.job));
      cancelled.delete(order.job.id);
    }
    // A run blocks this thread: read messages that have arrived meanwhile, such as cancellations.
    await setImmediate();
  }
  working = false;
}

async function answer({ id, model, query, texts }: Job): Promise<News> {
  const started = performance.now();
  const goOn = (): void => {
    if (cancelled.has(id)) throw new Error('the job was cancelled');
  };
  try {
    goOn();
    const loaded = await load(model);
    tell({ kind: 'begun', id });
    const outcome = await loaded.answer(query, texts, goOn);
    return { kind: 'done', id, outcome: { ...outcome, tookMs: performance.now() - started } };
  } catch (thrown) {
    return { kind: 'failed', id, reason: asError(thrown).message };
  }
}

/** Loads each model once; a failure is not cached, so that files added later are found. */
function load(model: LocalModel): Promise<LoadedModel> {
  const key = JSON.stringify(model);
  const known = models.get(key);
  if (known !== undefined) return known;
  const loading = LoadedModel.load(model);
  models.set(key, loading);
  loading.catch(() => models.delete(key));
  return loading;
}

/** No-op for a model that could not be loaded. */
async function unload(model: LocalModel): Promise<void> {
  const key = JSON.stringify(model);
  const loaded = await models.get(key)?.catch(() => undefined);
  models.delete(key);
  await loaded?.dispose();
}

function tell(news: News): void {
  if (process.connected) process.send?.(news, () => undefined);
}
