export function byTenant<T extends { readonly tenantId: string }>(
  items: Iterable<T>,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.tenantId);
    if (group === undefined) groups.set(item.tenantId, [item]);
    else group.push(item);
  }
  return groups;
}
