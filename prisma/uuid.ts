const FORM = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a client's id is a UUID: PostgreSQL refuses to compare anything else with one. */
export function isUuid(id: string): boolean {
  return FORM.test(id);
}
