import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nullIf } from '../domain/errors.js';
import { jsonIn } from '../domain/parse/json.js';
import type { EmbedderSpec } from './spec.js';

/**
 * The settings of every model that was in use, by model key, in a file: while the live index is of an earlier model,
 * its queries must be embedded as before, although the environment now configures another one.
 */
export class SpecRecord {
  #specs: Readonly<Record<string, EmbedderSpec>> = {};

  constructor(private readonly file: string) {}

  /** A file that is not JSON, as after a power failure, counts as absent. */
  async read(): Promise<void> {
    const text = await readFile(this.file, 'utf8').catch(nullIf('ENOENT'));
    const written = jsonIn(text ?? '{}');
    this.#specs = written instanceof Object ? (written as Record<string, EmbedderSpec>) : {};
  }

  of(modelKey: string): EmbedderSpec | undefined {
    return Object.hasOwn(this.#specs, modelKey) ? this.#specs[modelKey] : undefined;
  }

  async add(modelKey: string, spec: EmbedderSpec): Promise<void> {
    await this.#write({ ...this.#specs, [modelKey]: spec });
  }

  async remove(modelKey: string): Promise<void> {
    if (this.of(modelKey) === undefined) return;
    await this.#write(Object.fromEntries(Object.entries(this.#specs).filter(([key]) => key !== modelKey)));
  }

  /** Atomic. */
  async #write(specs: Readonly<Record<string, EmbedderSpec>>): Promise<void> {
    this.#specs = specs;
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    await writeFile(`${this.file}.tmp`, `${JSON.stringify(specs, null, 2)}\n`);
    await rename(`${this.file}.tmp`, this.file);
  }
}
