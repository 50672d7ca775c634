import { LABEL_KINDS, type LabelKind, labelKey } from '../domain/labels.js';
import { type Place as AnyPlace, type CountedPage, filterFacts, listDigest } from '../domain/page.js';
import type { PageRequest } from '../domain/ports/cards.js';
import type { VocabularyStore } from '../domain/ports/labels.js';
import { inSteps, sortedSteps } from '../domain/steps.js';
import type { Viewer } from '../domain/viewer.js';
import { labelKeySteps } from './label-keys.js';
import { type ListOrder, pageOf } from './listed-page.js';
import { type Ability, type LabelRecord, modelOf, type StudentModel, type StudentModelParts } from './student-model.js';

type LabelAbility = LabelRecord & Ability;

/** How well a student masters what a label stands for. */
export interface Mastery extends LabelRecord, Ability {
  /** The probability of solving a card of no special difficulty next, which recent answers change more. */
  readonly successProbability: number;
}

export interface MasteryQuery extends PageRequest {
  /** Null: the viewer. */
  readonly ownerId: string | null;
  /** Null: all; so of the error types. Where one of them is given alone, none of the others. */
  readonly topicTags: readonly string[] | null;
  readonly errorTypes: readonly string[] | null;
}

export class MasteryService {
  constructor(private readonly parts: StudentModelParts & { readonly labels: Pick<VocabularyStore, 'described'> }) {}

  model(viewer: Viewer, signal: AbortSignal): Promise<StudentModel> {
    return modelOf(this.parts, viewer, viewer.ownerId, null, signal);
  }

  /** The labels that the student has attempted cards of, the weakest first. BadInputError (`after`). */
  async list(viewer: Viewer, query: MasteryQuery, now: Date, signal: AbortSignal): Promise<CountedPage<Mastery>> {
    const [model, isWanted] = await Promise.all([
      modelOf(this.parts, viewer, query.ownerId ?? viewer.ownerId, null, signal),
      this.#wanted(viewer, query),
    ]);
    const all = await inSteps(abilitySteps(model, isWanted), undefined, signal);
    const { ownerId, topicTags, errorTypes } = query;
    const facts = filterFacts({ ownerId: ownerId ?? viewer.ownerId, topicTags, errorTypes });
    const { edges, ...page } = pageOf(all, query, ORDER, listDigest(viewer, ['mastery', facts]));
    const mastery = (node: LabelAbility): Mastery => {
      return { ...node, successProbability: model.probabilityOf(node.kind, node.name, now) };
    };
    return { ...page, edges: edges.map(({ cursor, node }) => ({ cursor, node: mastery(node) })) };
  }

  async #wanted(
    { tenantId }: Viewer,
    { topicTags, errorTypes }: MasteryQuery,
  ): Promise<(kind: LabelKind, name: string) => boolean> {
    if (topicTags === null && errorTypes === null) return () => true;
    const described = await this.parts.labels.described(tenantId);
    const wanted = {
      topicTags: await inSteps(labelKeySteps(described, 'topicTags', topicTags ?? [])),
      errorTypes: await inSteps(labelKeySteps(described, 'errorTypes', errorTypes ?? [])),
    };
    return (kind, name) => wanted[kind].has(labelKey(name));
  }
}

/** The weakest first: five thousand attempts may be at half a million labels. */
function* abilitySteps(
  model: StudentModel,
  isWanted: (kind: LabelKind, name: string) => boolean,
): Generator<void, readonly LabelAbility[]> {
  const all: LabelAbility[] = [];
  for (const record of model.labels()) {
    yield;
    const { kind, name } = record;
    const ability = isWanted(kind, name) ? model.ability(kind, name) : null;
    if (ability !== null) all.push({ ...record, ...ability });
  }
  return yield* sortedSteps(all, (a, b) => (isAfter(placeOf(a), placeOf(b)) ? 1 : -1));
}

type Place = readonly [ability: number, kind: string, name: string];

function placeOf({ ability, kind, name }: LabelAbility): Place {
  return [ability, kind, name];
}

/** By ability, then by label. */
function isAfter([ability, kind, name]: Place, [otherAbility, otherKind, otherName]: Place): boolean {
  if (ability !== otherAbility) return ability > otherAbility;
  return kind > otherKind || (kind === otherKind && name > otherName);
}

function isPlace(values: AnyPlace): values is Place {
  const [ability, kind, name] = values;
  if (values.length !== 3) return false;
  return typeof ability === 'number' && LABEL_KINDS.some((one) => one === kind) && typeof name === 'string';
}

const ORDER: ListOrder<LabelAbility, Place> = { placeOf, isPlace, isAfter };
