import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { nullIf } from '../../domain/errors.js';
import { jsonIn } from '../../domain/parse/json.js';
import type { Dtype } from '../../domain/ports/models.js';

/** The file of each number format, as repositories for transformers.js name it. */
const ONNX_SUFFIX: Readonly<Record<Dtype, string>> = {
  fp32: '',
  fp16: '_fp16',
  q8: '_quantized',
  int8: '_int8',
  uint8: '_uint8',
  q4: '_q4',
  q4f16: '_q4f16',
  bnb4: '_bnb4',
};

export interface ModelFileSet {
  readonly repository: string;
  readonly dtype: Dtype;
}

const absent = nullIf('ENOENT', 'ENOTDIR');

/** Written by `models pull` beside the files, so that a damaged file can be detected. */
export interface Manifest {
  /** The commit of the repository, as of the last pull. */
  readonly revision: string;
  /** Sizes in bytes, by path; of each number format that was pulled. */
  readonly files: Readonly<Record<string, number>>;
}

const manifest = z.object({ revision: z.string(), files: z.record(z.string(), z.number()) });

const config = z.looseObject({
  'transformers.js_config': z.looseObject({ use_external_data_format: z.unknown().optional() }).nullish(),
});

/** The name of the manifest within the repository's folder. */
export const MANIFEST = '.errata.json';

function graphPath(dtype: Dtype): string {
  return `onnx/model${ONNX_SUFFIX[dtype]}.onnx`;
}

/** Paths required to load the model. A large graph has its weights in additional files. */
export function requiredPaths(dtype: Dtype): readonly string[] {
  return ['config.json', 'tokenizer.json', 'tokenizer_config.json', graphPath(dtype)];
}

/** The paths among `all` that belong to the model: the required ones, and external weights. */
export function pathsAmong(all: readonly string[], dtype: Dtype): readonly string[] {
  const required = new Set(requiredPaths(dtype));
  const graph = graphPath(dtype);
  const isWeights = (path: string): boolean =>
    path.startsWith(`${graph}_data`) && /^(_\d+)?$/.test(path.slice(`${graph}_data`.length));
  return all.filter((path) => required.has(path) || isWeights(path));
}

/** The folder of a repository below MODELS_DIR. */
export function repositoryFolder(folder: string, repository: string): string {
  return join(folder, ...repository.split('/'));
}

/** Problems of the files on disk, one line each; empty if the model can be loaded. */
export async function problemsOf(folder: string, { repository, dtype }: ModelFileSet): Promise<readonly string[]> {
  const place = repositoryFolder(folder, repository);
  const sizes = (await readManifest(place))?.files ?? {};
  const weights = await weightsPaths(place, dtype);
  const expected = new Set([...requiredPaths(dtype), ...pathsAmong(Object.keys(sizes), dtype), ...(weights ?? [])]);
  const problems = await Promise.all(
    [...expected].map(async (path) => {
      const size = await sizeOf(join(place, path));
      const wanted = sizes[path];
      if (size === null) return `${path} is missing`;
      return wanted === undefined || wanted === size ? null : `${path} has ${size} bytes instead of ${wanted}`;
    }),
  );
  return [...problems, weights === null ? 'config.json is damaged' : null].filter((problem) => problem !== null);
}

/** True if every required file exists; sizes are not checked. */
export function filesPresent(folder: string, { repository, dtype }: ModelFileSet): boolean {
  const place = repositoryFolder(folder, repository);
  return requiredPaths(dtype).every((path) => existsSync(join(place, path)));
}

/** The command that downloads or repairs a model's files; with the dtype if the user chose it. */
export function pullCommand(name: string, dtype: Dtype | null): string {
  return `npm run errata -- models pull ${name}${dtype === null ? '' : ` --dtype ${dtype}`}`;
}

/** The manifest of a repository's folder; null if it was not pulled, or the manifest is damaged. */
export async function readManifest(place: string): Promise<Manifest | null> {
  const text = await readFile(join(place, MANIFEST), 'utf8').catch(absent);
  return manifest.safeParse(jsonIn(text ?? '')).data ?? null;
}

/** Files with external weights according to config.json (`use_external_data_format`); null if that is damaged. */
async function weightsPaths(place: string, dtype: Dtype): Promise<readonly string[] | null> {
  const text = await readFile(join(place, 'config.json'), 'utf8').catch(absent);
  if (text === null) return [];
  const parsed = config.safeParse(jsonIn(text));
  if (!parsed.success) return null;
  const format = parsed.data['transformers.js_config']?.use_external_data_format ?? 0;
  const graph = graphPath(dtype);
  const name = graph.slice('onnx/'.length);
  const parts =
    typeof format === 'object' && format !== null
      ? Number((format as Record<string, unknown>)[name] ?? (format as Record<string, unknown>).model ?? 0)
      : Number(format);
  return Array.from({ length: parts }, (_, part) => `${graph}_data${part === 0 ? '' : `_${part}`}`);
}

/** Null if there is no such file. */
export async function sizeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch(absent);
  return found?.isFile() ? found.size : null;
}
