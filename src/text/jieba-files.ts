import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * A dictionary of jieba's package, 5 or 6 MB of UTF-8. The package's own module keeps both in memory for as long as the
 * process runs; they are needed only while jieba and the weights of words load.
 */
export function readJiebaFile(name: 'dict.txt' | 'idf.txt'): Buffer {
  const folder = dirname(createRequire(import.meta.url).resolve('@node-rs/jieba'));
  return readFileSync(join(folder, name));
}
