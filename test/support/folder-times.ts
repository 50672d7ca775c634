import type { Reporter, TestModule } from 'vitest/node';

/**
 * Prints the files, the tests and the seconds of each folder, the longest first. Files run three at a time, so the sum
 * is more than the run took: `npm test -- --reporter=default --reporter=./test/support/folder-times.ts`
 */
export default class FolderTimes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const folders = new Map<string, { files: number; tests: number; seconds: number }>();
    for (const module of modules) {
      const folder = module.relativeModuleId.split('/').slice(0, -1).slice(0, 3).join('/');
      const sum = folders.get(folder) ?? { files: 0, tests: 0, seconds: 0 };
      const { collectDuration, duration } = module.diagnostic();
      sum.files += 1;
      sum.tests += [...module.children.allTests()].length;
      sum.seconds += (collectDuration + duration) / 1_000;
      folders.set(folder, sum);
    }
    const slowest = [...folders].sort(([, a], [, b]) => b.seconds - a.seconds);
    for (const [name, { files, tests, seconds }] of slowest) {
      process.stdout.write(`| ${name} | ${files} | ${tests} | ${Math.round(seconds)} |\n`);
    }
  }
}
