/** Stops what global-setup.mjs started, and removes its data. */
export default async function globalTeardown() {
  await globalThis.closeTestServers();
}
