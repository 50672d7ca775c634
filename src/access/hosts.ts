/** Host names of loopback. */
const OWN_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Accepted host names; null: any. Without authentication, only those of loopback, against DNS rebinding: a web page could make its
 * own domain resolve to this machine and read everything through its visitor's browser, which then still sends the page's
 * domain. With authentication the browser has no credential to send.
 */
export function hostNames({
  host,
  auth,
  allowedHosts,
}: {
  readonly host: string;
  readonly auth: object | null;
  readonly allowedHosts: readonly string[] | null;
}): ReadonlySet<string> | null {
  if (allowedHosts !== null) return new Set(allowedHosts);
  return auth === null ? new Set([...OWN_NAMES, host.includes(':') ? `[${host}]` : host.toLowerCase()]) : null;
}
