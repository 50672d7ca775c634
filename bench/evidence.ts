/**
 * How often does a tutoring context refuse or warn if no card has the answer, and how often wrongly?
 *
 *     npm run bench -- evidence [--cases]
 *
 * Builds contexts from the sample notebook, in this process and without servers, for the error descriptions of
 * `sample/descriptions.jsonl` (one half for development, `train-`, the other for the test, `test-`; mode DIAGNOSE,
 * those without an answer also EXPLAIN) and for the questions of `sample/golden.jsonl` (EXPLAIN). For a description
 * without an answer, NONE is right, THIN is a warning, and ENOUGH is wrong. `--cases` prints the ids of the cases
 * instead of their number.
 */

import type { MergeableCards } from '../src/domain/given-ids.js';
import type { GoldenCase } from '../src/domain/golden.js';
import { EVIDENCE_VERDICTS, type TutoringMode } from '../src/domain/tutoring.js';
import { DEFAULT_VIEWER } from '../src/domain/viewer.js';
import type { Engine } from '../src/search/engine.js';
import { builtinProfiles } from '../src/search/profile.js';
import { ContextService } from '../src/tutoring/context-service.js';
import { sampleNotebook } from './card-files.js';
import { memoryEngine } from './memory-engine.js';
import { goldenCases } from './own-words.js';
import { type Run, readOptions } from './run.js';

/** Kind of case -> verdict -> the cases. */
type Verdicts = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Contexts over an engine, with the default profile. */
export function contextsOf(
  engine: Engine,
  cards: MergeableCards = { byIds: async () => new Map(), mergedInto: async () => new Map() },
): ContextService {
  const [profile] = builtinProfiles('builtin');
  return new ContextService({
    engine,
    cards,
    profiles: { chosen: async () => profile, named: async () => profile },
  });
}

/** The verdicts of the sample's cases. */
export async function sampleVerdicts(engine: Engine): Promise<Verdicts> {
  const contexts = contextsOf(engine);
  const verdicts: Record<string, Record<string, readonly string[]>> = {};
  const ask = async (one: GoldenCase, kind: string, mode: TutoringMode): Promise<void> => {
    if (one.subject.kind !== 'text') return;
    const { signal } = new AbortController();
    const { verdict } = await contexts.context(DEFAULT_VIEWER, { text: one.subject.text, mode }, signal);
    const name = `${kind} ${mode}, ${one.judgements.length === 0 ? 'no answer' : 'with answers'}`;
    const counted = verdicts[name] ?? {};
    verdicts[name] = { ...counted, [verdict]: [...(counted[verdict] ?? []), one.id] };
  };
  for (const one of await goldenCases('descriptions.jsonl')) {
    const half = one.id.replace(/-\d+$/, '');
    await ask(one, half, 'DIAGNOSE');
    if (one.judgements.length === 0) await ask(one, half, 'EXPLAIN');
  }
  for (const one of await goldenCases('golden.jsonl')) await ask(one, 'golden', 'EXPLAIN');
  return verdicts;
}

/** Reports how many cases get each verdict, with `--cases` their ids. */
export async function reportEvidence(run: Run): Promise<void> {
  const options = readOptions({ cases: false });
  const verdicts = await sampleVerdicts(await memoryEngine(await sampleNotebook()));
  const rows = Object.entries(verdicts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, counted]) => {
      const ids = EVIDENCE_VERDICTS.map((verdict) => [verdict, counted[verdict] ?? []] as const);
      return {
        kind,
        ...Object.fromEntries(ids.map(([verdict, all]) => [verdict, options.cases ? all.join(' ') : all.length])),
      };
    });
  run.report('verdicts', rows);
}
