/** Cards whose lanes are summed at a time: their sums stay in the processor's first cache. */
const BLOCK = 2_048;

interface LabelLane {
  readonly weight: number;
  /** By card number: its set of labels, 0 without any. */
  readonly setOf: Uint32Array;
  /** By set. */
  readonly scores: Float64Array;
  /** The score of a card without labels, by its score by texts. */
  readonly unlabelledScore: (byTexts: number) => number;
}

export interface FusedLanes {
  /** By card number: the weighted mean of the lanes of texts. */
  readonly byTexts: Float64Array;
  readonly textWeight: number;
  readonly labelLanes: readonly LabelLane[];
}

/** Fills `sums`, by card number, with the weighted sums of the lanes of texts and the label lanes. */
export function fuseLanes(sums: Float64Array, { byTexts, textWeight, labelLanes }: FusedLanes): void {
  for (let first = 0; first < sums.length; first += BLOCK) {
    const block = { first, end: Math.min(first + BLOCK, sums.length) };
    setTexts(sums, byTexts, textWeight, block);
    for (const lane of labelLanes) addLabelLane(sums, byTexts, lane, block);
  }
}

interface Block {
  /** Card numbers, the end exclusive. */
  readonly first: number;
  readonly end: number;
}

/** A function of its own: as a part of one that runs once a search, V8 does not optimise the loop. */
function setTexts(sums: Float64Array, byTexts: Float64Array, weight: number, { first, end }: Block): void {
  for (let card = first; card < end; card++) sums[card] = weight * (byTexts[card] as number);
}

function addLabelLane(
  sums: Float64Array,
  byTexts: Float64Array,
  { weight, setOf, scores, unlabelledScore }: LabelLane,
  { first, end }: Block,
): void {
  for (let card = first; card < end; card++) {
    const set = setOf[card] as number;
    const score = set === 0 ? unlabelledScore(byTexts[card] as number) : (scores[set] as number);
    sums[card] = (sums[card] as number) + weight * score;
  }
}
