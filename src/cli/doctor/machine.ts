import { statfs } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { dirname } from 'node:path';
import { type Finding, ok, problem, warning } from './finding.js';

const MB = 1_000_000;

/**
 * Supported Node versions, as in package.json's `engines`: the minimum of each major version; the last one is
 * open-ended.
 */
const NODE_FROM = [
  { major: 20, minor: 19 },
  { major: 22, minor: 12 },
] as const;
const NODE_ALL_FROM = 24;

/** The oldest glibc for the inference runtime, and for npm's build of Chroma. */
const INFERENCE_GLIBC = [2, 28] as const;
const CHROMA_GLIBC = [2, 38] as const;

/** Disk space of embedded PostgreSQL and Chroma with some 20,000 cards. */
const DISK_PROBLEM_MB = 300;
const DISK_WARNING_MB = 2_000;
const MEMORY_WARNING_MB = 1_000;

/** @param version as `process.versions.node` has it */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fits = major >= NODE_ALL_FROM || NODE_FROM.some((from) => major === from.major && minor >= from.minor);
  if (fits) return ok('Node', version);
  return problem('Node', `${version} is not supported`, 'install Node 20.19 or newer, 22.12 or newer, or 24');
}

/** @param version of glibc; null for another C library */
export function checkGlibc(version: string | null, platform: string): Finding {
  if (platform !== 'linux') return ok('C library', `no requirement on ${platform}`);
  if (version === null) {
    return problem(
      'C library',
      'it is not glibc (Alpine?): neither Chroma nor the inference runtime can be loaded',
      'use a distribution with glibc, or set CHROMA_URL and use the builtin model or an endpoint',
    );
  }
  if (!atLeast(version, INFERENCE_GLIBC)) {
    return problem(
      'C library',
      `glibc ${version} is too old`,
      `use a system with glibc ${INFERENCE_GLIBC.join('.')} or newer`,
    );
  }
  const older = atLeast(version, CHROMA_GLIBC) ? '' : '; Chroma runs as the older build that `npm run setup` fetches';
  return ok('C library', `glibc ${version}${older}`);
}

function atLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [hasMajor = 0, hasMinor = 0] = version.split('.').map(Number);
  return hasMajor > major || (hasMajor === major && hasMinor >= minor);
}

/** Checks the free disk space for a folder, which need not exist yet. */
export async function checkDisk(part: string, folder: string, neededMb = DISK_PROBLEM_MB): Promise<Finding> {
  const { bavail, bsize } = await statOfNearest(folder);
  const freeMb = Math.floor((bavail * bsize) / MB);
  const says = `${freeMb} MB are free for ${folder}`;
  const advice = `free some space, or choose another folder: a full disk damages the index`;
  if (freeMb < neededMb) return problem(part, says, advice);
  return freeMb < Math.max(neededMb, DISK_WARNING_MB) ? warning(part, says, advice) : ok(part, says);
}

async function statOfNearest(folder: string): Promise<{ readonly bavail: number; readonly bsize: number }> {
  try {
    return await statfs(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw thrown;
    return statOfNearest(dirname(folder));
  }
}

/** @param modelMb memory of the models; 0 for the built-in one */
export function checkMemory(modelMb: number, free = freemem(), total = totalmem()): Finding {
  const freeMb = Math.floor(free / MB);
  const says = `${freeMb} of ${Math.floor(total / MB)} MB are free${modelMb > 0 ? `; the models take about ${modelMb} MB` : ''}`;
  if (total / MB < modelMb) return problem('memory', says, 'choose a smaller model, or q8 files (EMBEDDING_DTYPE)');
  if (freeMb < modelMb + MEMORY_WARNING_MB) {
    return warning('memory', says, 'close other programs, or choose a smaller model or q8 files (EMBEDDING_DTYPE)');
  }
  return ok('memory', says);
}
