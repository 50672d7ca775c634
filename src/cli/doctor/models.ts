import type { Config } from '../../config/settings.js';
import { asError } from '../../domain/errors.js';
import { PROBE } from '../../models/backend.js';
import { EndpointBackend } from '../../models/endpoint.js';
import { problemsOf, pullCommand } from '../../models/files/layout.js';
import { Inference } from '../../models/inference/inference.js';
import type { LocalModel } from '../../models/inference/protocol.js';
import { KNOWN_EMBEDDERS, KNOWN_RERANKERS } from '../../models/known.js';
import { rerankerModel } from '../../models/reranker.js';
import { embedderSpec, type LocalSpec, localModel } from '../../models/spec.js';
import { SILENT } from '../terminal.js';
import { type Finding, ok, problem } from './finding.js';

/** Memory of a model in relation to its file. */
const MEMORY_FACTOR = 1.5;

/** Estimated memory of the configured models, in MB, for known models. */
export function modelMegabytes({ embedding, rerankerModel: reranker }: Config): number {
  const spec = embedderSpec(embedding);
  const embedder = spec.kind === 'local' ? (KNOWN_EMBEDDERS.get(spec.name)?.megabytes[spec.dtype] ?? 0) : 0;
  const known = KNOWN_RERANKERS.get(reranker ?? '');
  const second = known?.megabytes[known.dtype] ?? 0;
  return Math.ceil((embedder + second) * MEMORY_FACTOR);
}

/** Checks that the embedding model exists, loads, and returns vectors of the configured dimensions. */
export async function checkEmbedder({ embedding, models }: Config): Promise<Finding> {
  const part = 'embedding model';
  const spec = embedderSpec(embedding);
  if (spec.kind === 'builtin') return ok(part, 'builtin, which needs no files');
  if (spec.kind === 'local') {
    const width = await widthOf(part, spec, localModel(spec, models.folder), null);
    if (typeof width !== 'number') return width;
    return width === spec.dims
      ? ok(part, `${spec.name} as ${spec.dtype} returns ${width} dimensions`)
      : wrong(spec, width);
  }
  if (embedding.baseUrl === null) throw new Error('EMBEDDING_BASE_URL is not set');
  const backend = new EndpointBackend(spec, { baseUrl: embedding.baseUrl, apiKey: embedding.apiKey });
  const [vector] = await backend.run([PROBE], 'interactive', new AbortController().signal);
  if (!(vector instanceof Float32Array)) throw asError(vector);
  if (vector.length !== spec.dims) return wrong(spec, vector.length);
  return ok(part, `${spec.name} answers with ${vector.length} dimensions`);
}

/** Checks that the cross-encoder exists, loads and returns one logit. */
export async function checkReranker({ rerankerModel: name, models }: Config): Promise<Finding> {
  const part = 'reranker';
  if (name === null) return ok(part, 'none is set (RERANKER_MODEL)');
  const local = rerankerModel(name, models.folder);
  const width = await widthOf(part, { name, dtype: local.dtype }, local, PROBE);
  return typeof width === 'number' ? ok(part, `${name} as ${local.dtype} returns a logit`) : width;
}

/** Loads and runs the model in a child process; returns the width of its output, or the problem. */
async function widthOf(
  part: string,
  { name, dtype }: Pick<LocalSpec, 'name' | 'dtype'>,
  model: LocalModel,
  query: string | null,
): Promise<number | Finding> {
  const usual = KNOWN_EMBEDDERS.get(name)?.dtype ?? KNOWN_RERANKERS.get(name)?.dtype ?? 'fp32';
  const command = pullCommand(name, usual === dtype ? null : dtype);
  const missing = await problemsOf(model.folder, model);
  if (missing.length > 0) {
    return problem(part, `${name} in ${model.folder}: ${missing.join(', ')}`, `run \`${command}\``);
  }
  const inference = new Inference(SILENT);
  try {
    const outcome = await inference.run({ model, query, texts: [PROBE] }, new AbortController().signal);
    const [trouble] = outcome.problems;
    return trouble ? problem(part, `${name}: ${trouble}`, 'choose another model') : outcome.width;
  } catch (thrown) {
    return problem(part, asError(thrown).message, `download it again (\`${command}\`), or choose another model`);
  } finally {
    await inference.close();
  }
}

function wrong({ name, dims }: { readonly name: string; readonly dims: number }, found: number): Finding {
  return problem(
    'embedding model',
    `${name} returns ${found} dimensions, not ${dims}`,
    `set EMBEDDING_DIMS to ${found}`,
  );
}
