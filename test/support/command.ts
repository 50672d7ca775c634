import type { Command } from 'commander';
import { vi } from 'vitest';

/** How a command in this process ended. */
export interface Ran {
  readonly out: string;
  readonly err: string;
  /** Null if it did not throw. */
  readonly thrown: Error | null;
  /** As the command has set it, if it did not throw. */
  readonly exitCode: number;
}

/** Runs a command in this process: for commands with `--url`, which start nothing. */
export async function ran(command: Command, ...args: readonly string[]): Promise<Ran> {
  const before = process.exitCode;
  process.exitCode = undefined;
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  try {
    const thrown = await command
      .exitOverride()
      .parseAsync(args, { from: 'user' })
      .then(
        () => null,
        (error: Error) => error,
      );
    return { out: written.stdout, err: written.stderr, thrown, exitCode: Number(process.exitCode ?? 0) };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = before;
  }
}
