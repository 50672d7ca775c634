/**
 * The inference process: forked by the gateway, it loads models and runs them, one job after the other. A native run that is
 * ended takes its whole process with it, so it has a process of its own, and that one outlives nobody.
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
// The gateway is gone, or wants us gone: nothing here is worth an orderly end, and a run cannot be waited for.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('SIGINT', () => undefined);
tell({ kind: 'ready' });

async function work(): Promise<void> {
  working = true;
  for (let order = queue.shift(); order !== undefined; order = queue.shift()) {
    if (order.kind === 'unload') await unload(order.model);
    else {
      tell(await answer(order.job));
      cancelled.delete(order.job.id);
    }
    // A run blocks this thread: what has arrived meanwhile, a cancellation perhaps, is read here.
    await setImmediate();
  }
  working = false;
}

async function answer({ id, model, query, texts }: Job): Promise<News> {
  const started = performance.now();
  const goOn = (): void => {
    if (cancelled.has(id)) throw new Error('nobody waits for it');
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

/** Once for each model; a failure is forgotten, so that files that have come meanwhile are seen. */
function load(model: LocalModel): Promise<LoadedModel> {
  const key = JSON.stringify(model);
  const known = models.get(key);
  if (known !== undefined) return known;
  const loading = LoadedModel.load(model);
  models.set(key, loading);
  loading.catch(() => models.delete(key));
  return loading;
}

/** A model that could not be loaded is not there either. */
async function unload(model: LocalModel): Promise<void> {
  const key = JSON.stringify(model);
  const loaded = await models.get(key)?.catch(() => undefined);
  models.delete(key);
  await loaded?.dispose();
}

function tell(news: News): void {
  if (process.connected) process.send?.(news, () => undefined);
}
