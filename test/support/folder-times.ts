import type { Reporter, TestModule } from 'vitest/node';

/** How many of the slowest files are printed. */
const SLOWEST = 20;

/**
 * Prints the files, the tests and the seconds of each folder, and the slowest files, the longest first. Files run side
 * by side, so the sum is more than the run took: `npm test -- --reporter=default
 * --reporter=./test/support/folder-times.ts`
 */
export default class FolderTimes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map(timesOf).sort((a, b) => b.seconds - a.seconds);
    const folders = new Map<string, { files: number; tests: number; seconds: number }>();
    for (const { name, tests, seconds } of files) {
      const folder = name.split('/').slice(0, -1).slice(0, 3).join('/');
      const sum = folders.get(folder) ?? { files: 0, tests: 0, seconds: 0 };
      folders.set(folder, { files: sum.files + 1, tests: sum.tests + tests, seconds: sum.seconds + seconds });
    }
    const slowest = [...folders].sort(([, a], [, b]) => b.seconds - a.seconds);
    print('| folder | files | tests | seconds |', '|---|---|---|---|');
    for (const [name, { files, tests, seconds }] of slowest) {
      print(`| \`${name}\` | ${files} | ${tests} | ${Math.round(seconds)} |`);
    }
    print('', '| file | tests | seconds |', '|---|---|---|');
    for (const { name, tests, seconds } of files.slice(0, SLOWEST)) {
      print(`| \`${name}\` | ${tests} | ${Math.round(seconds)} |`);
    }
  }
}

function timesOf(module: TestModule) {
  const { collectDuration, duration } = module.diagnostic();
  return {
    name: module.relativeModuleId,
    tests: [...module.children.allTests()].length,
    seconds: (collectDuration + duration) / 1_000,
  };
}

function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}
