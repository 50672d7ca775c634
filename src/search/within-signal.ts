import { abortable } from '../lifecycle.js';

type Port = Readonly<Record<string | symbol, unknown>>;

/**
 * The same parts, none of which is waited for once the signal has aborted: whatever promise any of them answers then rejects
 * with the signal's reason. Many take no signal of their own; what they have begun is not stopped by this.
 */
export function partsWithin<Parts extends object>(parts: Parts, signal: AbortSignal): Parts {
  const entries = Object.entries(parts as Readonly<Record<string, Port | null>>);
  return Object.fromEntries(
    entries.map(([name, port]) => [name, port === null ? null : portWithin(port, signal)]),
  ) as Parts;
}

function portWithin(port: Port, signal: AbortSignal): Port {
  return new Proxy(port, {
    get(target, name) {
      // Read from the port itself: its private fields do not know the proxy.
      const member = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]) => {
        const answer: unknown = Reflect.apply(member, target, args);
        return isPromise(answer) ? abortable(answer, signal) : answer;
      };
    },
  });
}

function isPromise(answer: unknown): answer is Promise<unknown> {
  return typeof (answer as { readonly then?: unknown } | null | undefined)?.then === 'function';
}
