import type { HybridSearchVariables, SearchOperation } from '../generated/operations.js';

/** What a copied query asks for: what the page shows. */
const SELECTION = `{
    hits {
      rank
      score
      verdict
      card { id questionText topicTags errorTypes }
      lanes { perspective kind score weight contribution rank }
    }
    receipt { retrievedBy filtering candidates inferredConcepts tookMs degraded { part reason } }
  }`;

/** Fields whose texts are names of enums. */
const ENUMS: ReadonlySet<string> = new Set(['expandWith', 'fusion', 'languages', 'qualityGrades', 'strategy']);

/** A value as it is written in a GraphQL document. */
export function literal(value: unknown, field = ''): string {
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, field)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, inner]) => `${key}: ${literal(inner, key)}`)
      .join(', ')} }`;
  }
  if (typeof value === 'string' && ENUMS.has(field)) return value;
  return JSON.stringify(value);
}

export function asGraphql(operation: SearchOperation, variables: HybridSearchVariables): string {
  const given = Object.entries(variables).map(([name, value]) => `${name}: ${literal(value, name)}`);
  return `{\n  ${operation}(${given.join(', ')}) ${SELECTION}\n}`;
}

/** A command line for a POSIX shell. The credential stays in a variable of the shell: it is never written out. */
export function asCurl(document: string, url: string, withToken: boolean): string {
  const body = JSON.stringify({ query: document.replace(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ' : blanks)) });
  const token = withToken ? ` -H "authorization: Bearer $ERRATA_TOKEN"` : '';
  return `curl '${url}' -H 'content-type: application/json'${token} -d '${body.replaceAll("'", "'\\''")}'`;
}
