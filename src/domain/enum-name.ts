/** The name that a value of the domain has as an enum value of GraphQL: `recallAt10` is RECALL_AT_10. */
export function enumName(value: string): string {
  return value.replaceAll(/(?<=[a-z])([A-Z]|\d+)/g, '_$1').toUpperCase();
}
