import { type GraphQLError, isValueNode, Kind, parse, visit } from 'graphql';

/**
 * Where in the caller's input graphql-js found a value that is not of its type, as the caller wrote it:
 * `input.difficulty`, `filter.grade[1]`; undefined if the error is not about a value. graphql-js keeps the path only
 * in its messages (for variables, whose name it begins with) or as a node (for literals).
 */
export function inputPath(error: GraphQLError): string | undefined {
  return messagePath(error.message) ?? literalPath(error);
}

/** The value that a message of graphql-js is about; undefined for any other message. */
export function messagePath(message: string): string | undefined {
  return variablePath(message) ?? argumentName(message);
}

const VARIABLE = /^Variable "\$(?<variable>\w+)" (?:got invalid value|of required type|of non-null type)/;

/** The value is quoted before the path with its quotation marks escaped, so the first match is graphql-js's own. */
const BELOW_VARIABLE = / at "(?<path>\w+[.[][^"]*)"; /;

/** A field that an input object lacks, or does not know, is named by the sentence and not by the path. */
const MEMBER = /; Field "(?<member>[^"]+)" (?:of required type|is not defined by type)/;

function variablePath(message: string): string | undefined {
  const variable = VARIABLE.exec(message)?.groups?.variable;
  if (variable === undefined) return undefined;
  const path = BELOW_VARIABLE.exec(message)?.groups?.path ?? variable;
  const member = MEMBER.exec(message)?.groups?.member;
  return member === undefined ? path : `${path}.${member}`;
}

/** Extracts the argument from graphql-js's message about a variable that leaves a required argument without a value. */
function argumentName(message: string): string | undefined {
  return /^Argument "(?<name>\w+)" (?:of required type|of non-null type|has invalid value)/.exec(message)?.groups?.name;
}

function literalPath({ nodes, source }: GraphQLError): string | undefined {
  const node = nodes?.[0];
  if (node?.loc === undefined || source === undefined || !isValueNode(node)) return undefined;
  const { start } = node.loc;
  const document = parse(source);
  let found: string | undefined;
  visit(document, {
    enter(candidate, _key, _parent, path) {
      if (candidate.kind === node.kind && candidate.loc?.start === start) found = writtenPath(document, path);
    },
  });
  return found;
}

/** The argument, fields and positions on the way from the document to one of its values. */
function writtenPath(document: object, path: readonly (string | number)[]): string {
  let field = '';
  let at: unknown = document;
  path.forEach((key, depth) => {
    at = (at as Record<string | number, unknown>)[key];
    const { kind, name } = at as { readonly kind?: Kind; readonly name?: { readonly value: string } };
    if (kind === Kind.ARGUMENT) field = name?.value ?? '';
    else if (kind === Kind.OBJECT_FIELD) field += `.${name?.value}`;
    else if (path[depth - 1] === 'values') field += `[${key}]`;
  });
  return field;
}
