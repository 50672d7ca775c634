/** The names by which a program on this machine calls a server on its loopback. */
const OWN_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The names by which the gateway may be called; null: any. Where nobody is asked who comes, a web page could otherwise make
 * a name of its own mean this machine and read everything through its visitor's browser (DNS rebinding): the browser then
 * still sends the page's name. Where a credential is needed, the browser has none to send.
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
