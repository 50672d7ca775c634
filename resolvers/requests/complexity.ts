import {
  BREAK,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  getVariableValues,
  isCompositeType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { BadInputError, TooComplexError } from '../../src/domain/errors.js';
import { MAX_HITS } from '../../src/domain/search.js';
import { hitsBefore } from '../search/search-page.js';
import { fragmentsOf } from './document-size.js';

/** Complexity limit. A search of 35 hits with all fields, or a page of 100 cards with all fields, is below it. */
const MAX_COST = 10_000;

/** Complexity of a root field, which is a search, a statement or a transaction; other fields cost 1. */
const ROOT_COST = 10;

/** Arguments that limit the length of a list, and their maximum. */
const MAX_SIZES = { first: 100, topK: MAX_HITS } as const;

/** By field, where more are allowed. */
const LARGER_SIZES: Readonly<Record<string, number>> = { problems: 1_000 };

/** The arguments whose entries are answered one by one. */
const LIST_ARGUMENTS = ['ids', 'inputs', 'changes', 'representations'] as const;

/** Lists that had no `first` in earlier versions: without it they count as then, so that operations stay allowed. */
const USUAL_WITHOUT_FIRST: ReadonlySet<string> = new Set(['goldenSets']);

const SIZING: ReadonlySet<string> = new Set([...Object.keys(MAX_SIZES), ...LIST_ARGUMENTS, 'after']);

/** Assumed length of lists without such an argument: the lanes of a hit, the stages of a search. */
const USUAL_LENGTH = 10;

/** Of lists that are shorter: most cards have no attachment, and none more than 10, whose fields are copied. */
const USUAL_LENGTHS: Readonly<Record<string, number>> = { attachments: 2 };

export interface CostedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * TooComplexError above MAX_COST, or BadInputError for a size that is out of range, which counts as the maximum. Each
 * field counts once per list entry around it. The document must be valid and within the limits of its size.
 */
export function refuseCostly(asked: CostedOperation): void {
  refuse(measure(asked));
}

/** As {@link refuseCostly}, for any variables; no-op if the complexity depends on them. */
export function refuseAlwaysCostly(asked: Omit<CostedOperation, 'variables'>): void {
  if (hasVariableSize(asked.document)) return;
  // Sizes are literals; a field whose other arguments lack their variables would count as one without arguments.
  const names = (asked.operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  refuse(measureWith(asked, Object.fromEntries(names.map((name) => [name, true]))));
}

/** Complexity of an operation; 0 if its variables do not match their types, because it is not executed then. */
export function costOf(asked: CostedOperation): number {
  return measure(asked).cost;
}

interface Measured {
  readonly cost: number;
  /** The first size that is out of range. */
  readonly invalid: BadInputError | null;
}

const NOT_EXECUTED: Measured = { cost: 0, invalid: null };

function measure(asked: CostedOperation): Measured {
  const { schema, operation, variables } = asked;
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 1 });
  return coerced.coerced === undefined ? NOT_EXECUTED : measureWith(asked, coerced.coerced);
}

function measureWith(
  { schema, document, operation }: Omit<CostedOperation, 'variables'>,
  coerced: Readonly<Record<string, unknown>>,
): Measured {
  const root = schema.getRootType(operation.operation);
  if (root == null) return NOT_EXECUTED;
  const counter = new Cost(schema, fragmentsOf(document), coerced);
  const cost = counter.of(operation.selectionSet, root, { sized: false, fieldCost: ROOT_COST });
  return { cost, invalid: counter.invalid };
}

function refuse({ cost, invalid }: Measured): void {
  if (cost <= MAX_COST) return;
  throw invalid ?? new TooComplexError(`the operation has a complexity of ${cost}; the limit is ${MAX_COST}`);
}

/** Whether a variable is in an argument by which {@link Cost} counts. */
function hasVariableSize(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Argument: ({ name, value }) => {
      if (!SIZING.has(name.value)) return;
      visit(value, {
        Variable: () => {
          found = true;
          return BREAK;
        },
      });
    },
  });
  return found;
}

interface Around {
  /** Its own argument has said how long the lists directly below become. */
  readonly sized: boolean;
  readonly fieldCost: number;
}

class Cost {
  invalid: BadInputError | null = null;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    private readonly variables: Readonly<Record<string, unknown>>,
  ) {}

  of({ selections }: SelectionSetNode, parent: GraphQLCompositeType, around: Around): number {
    return selections.reduce((sum, selection) => {
      if (selection.kind === Kind.FIELD) return sum + this.#ofField(selection, parent, around);
      const spread = selection.kind === Kind.INLINE_FRAGMENT ? selection : this.fragments.get(selection.name.value);
      if (spread === undefined) return sum;
      const condition =
        spread.typeCondition === undefined ? parent : this.schema.getType(spread.typeCondition.name.value);
      return sum + (isCompositeType(condition) ? this.of(spread.selectionSet, condition, around) : 0);
    }, 0);
  }

  #ofField(node: FieldNode, parent: GraphQLCompositeType, { sized, fieldCost }: Around): number {
    const field = isObjectType(parent) ? parent.getFields()[node.name.value] : undefined;
    // `__typename` and the like.
    if (field === undefined) return 1;
    const size = this.#sizeOf(field, node);
    const type = getNamedType(field.type);
    if (node.selectionSet === undefined || !isCompositeType(type)) return fieldCost;
    const list = isListType(getNullableType(field.type));
    const times = size ?? (list && !sized ? (USUAL_LENGTHS[field.name] ?? USUAL_LENGTH) : 1);
    // A later page of a search finds the hits before it again.
    const isSearch = field.args.some(({ name }) => name === 'topK');
    const before = isSearch ? hitsBefore(this.#argumentsOf(field, node).after) : 0;
    return (
      fieldCost + before + times * this.of(node.selectionSet, type, { sized: size !== null && !list, fieldCost: 1 })
    );
  }

  /** Null for a field without such an argument. */
  #sizeOf(field: GraphQLField<unknown, unknown>, node: FieldNode): number | null {
    if (isListType(getNullableType(field.type))) {
      const given = this.#argumentsOf(field, node);
      const list = LIST_ARGUMENTS.find((candidate) => Array.isArray(given[candidate]));
      if (list !== undefined) return (given[list] as readonly unknown[]).length;
    }
    const argument = field.args.find(({ name }) => name in MAX_SIZES);
    if (argument === undefined) return null;
    const isGiven = node.arguments?.some(({ name }) => name.value === argument.name);
    if (isGiven !== true && USUAL_WITHOUT_FIRST.has(field.name)) return null;
    const value = this.#argumentsOf(field, node)[argument.name] ?? argument.defaultValue;
    const most = LARGER_SIZES[field.name] ?? MAX_SIZES[argument.name as keyof typeof MAX_SIZES];
    if (typeof value !== 'number') return most;
    if (value >= 0 && value <= most) return value;
    this.invalid ??= new BadInputError(argument.name, value < 0 ? 'must be at least 1' : `must be at most ${most}`);
    return most;
  }

  /** Empty if the arguments are invalid: the field is not resolved then. */
  #argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): Readonly<Record<string, unknown>> {
    try {
      return getArgumentValues(field, node, this.variables);
    } catch {
      return {};
    }
  }
}
