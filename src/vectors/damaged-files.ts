import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIf } from '../domain/errors.js';
import type { Log } from '../domain/ports/log.js';

/** `MDB_meta` in each of the first two pages (mdb.c of lmdb 3.5): offsets of its fields in the page. */
const META = { magic: 24, pageBytes: 48, roots: [88, 136], lastPage: 144, transaction: 152, end: 160 } as const;
const MAGIC = 0xbeefc0de;
/** The root of a table without entries. */
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/** Free pages at the end may never have been written: one of 1,124 in a run of random changes. */
const WRITTEN_SHARE = 0.9;

/**
 * Removes the lmdb files of a folder that were overwritten or lost their end, such as in an interrupted copy. lmdb maps
 * them unchecked, and the process would end by SIGSEGV or SIGBUS at every start.
 */
export async function removeDamagedFiles(folder: string, log: Pick<Log, 'warn'>): Promise<void> {
  const names = (await readdir(folder).catch(nullIf('ENOENT'))) ?? [];
  for (const name of names.filter((one) => one.endsWith('.mdb'))) {
    const file = join(folder, name);
    if (!(await isDamaged(file))) continue;
    log.warn({ file }, 'a damaged cache is removed, and built anew');
    await rm(file);
  }
}

async function isDamaged(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size === 0) return false;
    const page = Buffer.alloc(META.end);
    await file.read(page, 0, META.end, 0);
    const pageBytes = page.readUInt32LE(META.pageBytes);
    const other = Buffer.alloc(META.end);
    await file.read(other, 0, META.end, pageBytes);
    if ([page, other].some((one) => one.readUInt32LE(META.magic) !== MAGIC)) return true;
    const transaction = (meta: Buffer): bigint => meta.readBigUInt64LE(META.transaction);
    const latest = transaction(page) > transaction(other) ? page : other;
    const roots = META.roots.map((at) => latest.readBigUInt64LE(at)).filter((root) => root !== NO_PAGE);
    const pages = Number(latest.readBigUInt64LE(META.lastPage)) + 1;
    return roots.some((root) => Number(root) >= size / pageBytes) || size < pages * pageBytes * WRITTEN_SHARE;
  } finally {
    await file.close();
  }
}
