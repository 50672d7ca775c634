import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/client.js';
import { retryDelayMs, useAction } from '../api/use-query.js';
import { useApi } from '../app/session.js';
import { CancelImport, ImportProgress, type ImportProgressResult, type OnDuplicate } from '../generated/operations.js';

export type Job = ImportProgressResult['importJob'];

export interface Settings {
  readonly columns: Readonly<Record<string, string | null>>;
  readonly defaults: Readonly<Record<string, string | number>>;
  readonly onDuplicate: OnDuplicate;
}

/** A file that was sent, or is being sent. */
interface Upload {
  /** The id of its job, once the gateway has answered. */
  readonly jobId: Promise<string>;
  isCancelled: boolean;
}

/** How often it is asked how far an import is, in ms. */
const POLL_MS = 400;

/** Errors after which asking for a job again is useless; after others, such as of the network, it goes on. */
const FINAL = new Set(['NOT_FOUND', 'FORBIDDEN']);

/** Sends files and follows what becomes of them. */
export function useImport() {
  const api = useApi();
  /** Whoever signs in again during an import has a new connection. */
  const latestApi = useRef(api);
  latestApi.current = api;
  const [job, setJob] = useState<Job | null>(null);
  const [dryRun, setDryRun] = useState(false);
  const [sending, setSending] = useState(false);
  const [failure, setFailure] = useState<ApiError | null>(null);
  const upload = useRef<Upload | null>(null);
  const gone = useRef(new AbortController());
  useEffect(() => () => gone.current.abort(), []);

  const reset = (): void => {
    gone.current.abort();
    gone.current = new AbortController();
    setJob(null);
    upload.current = null;
    setFailure(null);
    cancel.clear();
    more.clear();
    setSending(false);
  };

  const post = async (query: URLSearchParams, file: File, signal: AbortSignal): Promise<string> => {
    const headers = { 'content-type': 'application/octet-stream' };
    const response = await api.fetch(`import?${query}`, { method: 'POST', headers, body: file, signal });
    const { importJob } = (await response.json()) as { importJob: { id: string } };
    return importJob.id;
  };
  const follow = async (id: string, signal: AbortSignal): Promise<void> => {
    for (let failures = 0; ; ) {
      let pauseMs = POLL_MS;
      try {
        const { importJob: now } = await latestApi.current.run(ImportProgress, { id }, signal);
        setJob(now);
        setFailure(null);
        if (now.finishedAt !== null) return;
        failures = 0;
      } catch (thrown) {
        const error = asApiError(thrown);
        if (signal.aborted || FINAL.has(error.code)) throw thrown;
        setFailure(error);
        pauseMs = retryDelayMs(error, failures++);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (signal.aborted) return;
    }
  };
  const send = async (file: File, { columns, defaults, onDuplicate }: Settings, dry: boolean): Promise<void> => {
    reset();
    const { signal } = gone.current;
    setDryRun(dry);
    setSending(true);
    const mapping = JSON.stringify({ columns, defaults });
    const query = new URLSearchParams({ name: file.name, onDuplicate, dryRun: String(dry), mapping });
    const request = new AbortController();
    const sent: Upload = { jobId: post(query, file, request.signal), isCancelled: false };
    upload.current = sent;
    // Without the answer, the job that is to be cancelled is not known.
    signal.addEventListener('abort', () => {
      if (!sent.isCancelled) request.abort();
    });
    try {
      await follow(await sent.jobId, signal);
    } catch (thrown) {
      if (!signal.aborted) setFailure(asApiError(thrown));
    } finally {
      if (!signal.aborted) setSending(false);
    }
  };

  const cancel = useAction(async () => {
    if (upload.current === null) return;
    upload.current.isCancelled = true;
    // An aborted request would not cancel anything: once the file has arrived, its import runs without one.
    const id = await upload.current.jobId.catch(() => null);
    if (id !== null) await latestApi.current.run(CancelImport, { id });
  });
  const more = useAction(async () => {
    if (job === null) return;
    const { signal } = gone.current;
    const { nodes, pageInfo } = job.rowProblems;
    const { importJob } = await api.run(ImportProgress, { id: job.id, problemsAfter: pageInfo.endCursor });
    const { rowProblems } = importJob;
    if (!signal.aborted)
      setJob({ ...importJob, rowProblems: { ...rowProblems, nodes: [...nodes, ...rowProblems.nodes] } });
  });
  const error = failure ?? cancel.error ?? more.error;
  return { job, dryRun, sending, error, send, cancel, reset, more };
}
