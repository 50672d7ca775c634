import { sampleNotebook } from '../../bench/card-files.js';
import { memoryEngine } from '../../bench/memory-engine.js';
import { once } from '../../src/domain/async.js';

/** The engine over the sample notebook, made once in each worker: no search changes it. */
export const sampleEngine = once(async () => memoryEngine(await sampleNotebook()));
