/** Operations made from the schema alone, so that a field that is added later is tried like all others. */
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';

/** What a probe aims at. */
export interface Aim {
  /** For every argument that names a card. */
  readonly cardId: string;
  /** For every argument that names a student. */
  readonly owner: string;
  /** For every other text. */
  readonly text: string;
  /** For every argument `at`: answers that count days stay the same over midnight. */
  readonly at: string;
}

/** One root field, asked for all that it can tell. */
export interface Probe {
  /** `similarQuestions(cardId)`: the field, and which of its optional arguments the probe gives. */
  readonly name: string;
  readonly kind: 'query' | 'mutation';
  readonly query: string;
}

/** Lists are asked for whole: more hits with all fields would be too complex. */
const COUNTS: Readonly<Record<string, number>> = { first: 35, topK: 35 };

/**
 * Clusters hold whole cards, evaluations whole reports: with more of them the question would be turned down for what it
 * may cost.
 */
const COUNTS_OF: Readonly<Record<string, number>> = { duplicates: 5, evaluations: 2, practiceLadder: 5, dueCards: 30 };

/** Arguments that say what is asked about: a search takes one of them, so each has a probe of its own. */
const SUBJECTS = ['text', 'cardId', 'fromCardId', 'topicTag', 'errorType', 'owner', 'owners', 'group'];

/** Lists without a count whose items hold lists: asked for without those, which another field shows. */
const SHALLOW = ['goldenSets', 'evaluations'];

/** Pages below a root field, which each have a count. */
const FEW = 5;

/** Lists in lists without a count, asked for without these fields: other fields and tests show them. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  mistakeFingerprint: ['attachments', 'review'],
  evaluation: ['slices'],
  evaluate: ['slices'],
};

/** Every root field of the schema, with each subject that it takes, aimed at one card. */
export function probesOf(schema: GraphQLSchema, aim: Aim): readonly Probe[] {
  return [
    { kind: 'query' as const, type: schema.getQueryType() },
    { kind: 'mutation' as const, type: schema.getMutationType() },
  ].flatMap(({ kind, type }) =>
    Object.values(type?.getFields() ?? {}).flatMap((field) => {
      const subjects = field.args.filter(({ name, ...arg }) => SUBJECTS.includes(name) && !isNonNullType(arg.type));
      const variants = subjects.length === 0 ? [null] : subjects.map(({ name }) => name);
      return variants.map((subject) => ({
        name: subject === null ? field.name : `${field.name}(${subject})`,
        kind,
        query: `${kind} { ${call(field, subject, aim)} }`,
      }));
    }),
  );
}

function call(field: GraphQLField<unknown, unknown>, subject: string | null, aim: Aim): string {
  const args = field.args.filter(
    (arg) => isRequiredArgument(arg) || arg.name === subject || arg.name === 'at' || arg.name in COUNTS,
  );
  const countOf = (name: string): number | undefined =>
    name in COUNTS ? (COUNTS_OF[field.name] ?? COUNTS[name]) : undefined;
  const written = args.map((arg) => `${arg.name}: ${countOf(arg.name) ?? write(arg.name, arg.type, aim)}`);
  const list = written.length === 0 ? '' : `(${written.join(', ')})`;
  const selection = selectionOf(field.type, {
    shallow: SHALLOW.includes(field.name),
    without: WITHOUT[field.name] ?? [],
  });
  return `${field.name}${list} ${selection}`;
}

function write(name: string, type: GraphQLInputType, aim: Aim): string {
  if (isNonNullType(type)) return write(name, type.ofType, aim);
  if (isListType(type)) return `[${write(name, type.ofType, aim)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const required = fields.filter(isRequiredInputField);
    // A change of nothing is refused before anybody looks whose card it is.
    const given = required.length > 0 ? required : fields.slice(0, 1);
    return `{ ${given.map((field) => `${field.name}: ${write(field.name, field.type, aim)}`).join(', ')} }`;
  }
  if (type.name === 'ID') return JSON.stringify(name.startsWith('owner') ? aim.owner : aim.cardId);
  if (type.name === 'String') return JSON.stringify(aim.text);
  if (type.name === 'Boolean') return 'false';
  if (type.name === 'DateTime') return JSON.stringify(name === 'at' ? aim.at : '2026-01-01T00:00:00Z');
  return '1';
}

/** Everything below a field that needs no argument; with `shallow`, as far as it holds nothing itself. */
function selectionOf(
  type: GraphQLOutputType,
  { shallow, without }: { readonly shallow: boolean; readonly without: readonly string[] },
): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (!isObjectType(named)) throw new Error(`no probe knows how to select from ${named.name}`);
  const fields = Object.values(named.getFields()).filter(
    ({ name, args, type: inner }) =>
      !without.includes(name) && !args.some(isRequiredArgument) && !(shallow && !isLeafType(getNamedType(inner))),
  );
  const selected = fields.map(({ name, args, type: inner }) => {
    const count = args.some((arg) => arg.name === 'first') ? `(first: ${FEW})` : '';
    return `${name}${count} ${selectionOf(inner, { shallow: false, without })}`;
  });
  return `{ ${selected.join(' ')} }`;
}
