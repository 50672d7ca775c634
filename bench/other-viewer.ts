import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { OtherViewerSettings, OtherViewerTimes } from './other-viewer.child.js';

/** Another viewer of a gateway, who sends requests all the time. */
export interface OtherViewer {
  /** Times since the last call. */
  times(): Promise<OtherViewerTimes>;
  close(): Promise<void>;
}

export function startOtherViewer(settings: OtherViewerSettings): OtherViewer {
  const program = fileURLToPath(new URL('other-viewer.child.js', import.meta.url));
  const child = fork(program, [JSON.stringify(settings)], { execArgv: [] });
  const exited = once(child, 'exit');
  return {
    async times() {
      const told = once(child, 'message');
      child.send('times');
      const [times] = (await told) as [OtherViewerTimes];
      return times;
    },
    async close() {
      child.disconnect();
      await exited;
    },
  };
}
