const FORM = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a client's id is a UUID; what is none names no row, and PostgreSQL would refuse to compare it with one. */
export function isUuid(id: string): boolean {
  return FORM.test(id);
}
