import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, AWAY, asApiError } from '../api/client.js';
import { useAction } from '../api/use-query.js';
import { useApi } from '../app/session.js';
import { CancelImport, ImportProgress, type OnDuplicate } from '../generated/operations.js';
import { askForJob, askUntilAnswered, type Job } from './job.js';
import { useKeptImports } from './kept-imports.js';

export interface Settings {
  readonly columns: Readonly<Record<string, string | null>>;
  readonly defaults: Readonly<Record<string, string | number>>;
  readonly onDuplicate: OnDuplicate;
}

interface Upload {
  /** The id of its job, once the gateway has answered. */
  readonly jobId: Promise<string>;
  isCancelled: boolean;
}

/** How often it is asked how far an import is, in ms. */
const POLL_MS = 400;

/** Sends files and follows what becomes of them; follows an import that was begun before from the first. */
export function useImport(begunId: string | null = null) {
  const api = useApi();
  /** Whoever signs in again during an import has a new connection. */
  const latestApi = useRef(api);
  latestApi.current = api;
  const kept = useKeptImports();
  const [job, setJob] = useState<Job | null>(null);
  /** Of the import that runs, once the gateway has accepted its file. */
  const [runningId, setRunningId] = useState<string | null>(null);
  const [dryRun, setDryRun] = useState(false);
  const [sending, setSending] = useState(false);
  const [failure, setFailure] = useState<ApiError | null>(null);
  const upload = useRef<Upload | null>(null);
  const gone = useRef(new AbortController());
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (begunId !== null) void watch({ jobId: Promise.resolve(begunId), isCancelled: false }, false);
    return () => gone.current.abort();
  }, []);

  const reset = (): void => {
    gone.current.abort();
    gone.current = new AbortController();
    setJob(null);
    setRunningId(null);
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
    while (!signal.aborted) {
      const now = await askForJob(latestApi, { id }, signal, setFailure);
      setJob(now);
      setFailure(null);
      if (now.finishedAt !== null) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  const watch = async (sent: Upload, dry: boolean): Promise<void> => {
    const { signal } = gone.current;
    upload.current = sent;
    setDryRun(dry);
    setSending(true);
    try {
      const id = await sent.jobId;
      if (!dry && !signal.aborted) {
        kept.keep(id);
        setRunningId(id);
      }
      await follow(id, signal);
      if (!signal.aborted) kept.forget(id);
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.code === 'NOT_FOUND' && begunId !== null) kept.forget(begunId);
      if (!signal.aborted) setFailure(error);
    } finally {
      if (!signal.aborted) {
        setRunningId(null);
        setSending(false);
      }
    }
  };
  /** The problems of a finished job, those that are not shown yet included. ApiError; AbortError after `reset`. */
  const allProblems = async ({ id, rowProblems }: Job): Promise<Job['rowProblems']['nodes']> => {
    const { signal } = gone.current;
    const problems = [...rowProblems.nodes];
    for (let { pageInfo } = rowProblems; pageInfo.hasNextPage; ) {
      const next = await askForJob(latestApi, { id, problemsAfter: pageInfo.endCursor }, signal, setFailure);
      setFailure(null);
      problems.push(...next.rowProblems.nodes);
      pageInfo = next.rowProblems.pageInfo;
    }
    return problems;
  };
  const send = async (file: File, { columns, defaults, onDuplicate }: Settings, dry: boolean): Promise<void> => {
    reset();
    const { signal } = gone.current;
    const mapping = JSON.stringify({ columns, defaults });
    const query = new URLSearchParams({ name: file.name, onDuplicate, dryRun: String(dry), mapping });
    const request = new AbortController();
    // Sent again, a file whose import runs joins it, and one that is stored adds nothing.
    const jobId = askUntilAnswered(
      () => post(query, file, request.signal),
      AWAY,
      request.signal,
      (error) => {
        if (sent.isCancelled) throw error;
        setFailure(error);
      },
    );
    const sent: Upload = { jobId, isCancelled: false };
    // Without the answer, the job that is to be cancelled is not known.
    signal.addEventListener('abort', () => {
      if (!sent.isCancelled) request.abort();
    });
    await watch(sent, dry);
  };

  const cancel = useAction(async () => {
    if (upload.current === null) return;
    upload.current.isCancelled = true;
    // An aborted request would not cancel anything: once the file has arrived, its import runs without one.
    const id = await upload.current.jobId.catch(() => null);
    if (id !== null) await latestApi.current.run(CancelImport, { id });
  });
  const more = useAction(async (api) => {
    if (job === null) return;
    const { signal } = gone.current;
    const { nodes, pageInfo } = job.rowProblems;
    const { importJob } = await api.run(ImportProgress, { id: job.id, problemsAfter: pageInfo.endCursor });
    const { rowProblems } = importJob;
    if (!signal.aborted)
      setJob({ ...importJob, rowProblems: { ...rowProblems, nodes: [...nodes, ...rowProblems.nodes] } });
  });
  const error = failure ?? cancel.error ?? more.error;
  return { job, runningId, dryRun, sending, error, send, cancel, reset, more, allProblems };
}
