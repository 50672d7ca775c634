import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { StartupError } from '../domain/errors.js';
import { EXIT, exitCodeOf } from '../domain/exit-codes.js';
import { AnsweredError, closedBefore, type GatewayClient } from './gateway-client.js';
import { followJob, type JobReport, readProblems } from './import-progress.js';
import type { FileReport } from './import-report.js';

interface SentFile {
  readonly file: string;
  readonly bytes: number;
  /** The parameters of `POST /import`, except the name. */
  readonly query: URLSearchParams;
}

/**
 * Sends a file and follows its import until that ends, or the signal aborts. A refused file is a report too; null if
 * the signal aborts before the gateway has the file. StartupError (66) if it cannot be read.
 */
export async function importFile(
  client: GatewayClient,
  sent: SentFile,
  signal: AbortSignal,
): Promise<FileReport | null> {
  const { file } = sent;
  const answer = await send(client, sent, signal);
  if (answer === null) return null;
  if (answer instanceof AnsweredError) return { file, refused: answer.message, job: null, problems: [] };
  const job = await followJob(client, answer, signal);
  // The gateway answers before it has validated a file for which that takes long.
  if (job.state === 'REFUSED') return { file, refused: `file: ${job.problem}`, job: null, problems: [] };
  return { file, refused: null, job, problems: await readProblems(client, job) };
}

/** The job, or why the file was refused; null if the signal aborts. */
async function send(
  client: GatewayClient,
  { file, bytes, query }: SentFile,
  signal: AbortSignal,
): Promise<JobReport | AnsweredError | null> {
  const parameters = new URLSearchParams([...query, ['name', basename(file)]]);
  const source = createReadStream(file);
  try {
    const response = await client.post(`import?${parameters}`, {
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(bytes) },
      body: Readable.toWeb(source) as ReadableStream,
      duplex: 'half',
      signal,
    });
    const answer = await response.json().catch(closedBefore('its answer was complete'));
    return (answer as { importJob: JobReport }).importJob;
  } catch (thrown) {
    if (signal.aborted) return null;
    // Only problems of the file are part of its report.
    if (thrown instanceof AnsweredError && exitCodeOf(thrown.code) === EXIT.failed) return thrown;
    const cause = source.errored;
    if (cause !== null) throw new StartupError(`${file} cannot be read: ${cause.message}`, EXIT.input, { cause });
    throw thrown;
  }
}
