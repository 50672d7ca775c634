/**
 * Weighted features hashed into a vector ("feature hashing", Weinberger et al., ICML 2009): a feature adds its weight
 * at the index and with the sign given by its hash, so that collisions cancel out on average. Only + - * /, square
 * roots and 32-bit integers: the same bits on every platform.
 */
export class HashedFeatures {
  /** hash -> index into the two lists below; a few hundred features do not collide in 32 bits. */
  readonly #index = new Map<number, number>();
  readonly #weights: number[] = [];
  readonly #counts: number[] = [];

  get empty(): boolean {
    return this.#weights.length === 0;
  }

  /** Counts one more occurrence. `kind` separates features with the same spelling; `weight` is above 0. */
  add(kind: number, feature: string, weight: number): void {
    const hash = hashOf(kind, feature);
    const index = this.#index.get(hash);
    if (index === undefined) {
      this.#index.set(hash, this.#weights.length);
      this.#weights.push(weight);
      this.#counts.push(1);
    } else {
      this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    }
  }

  /**
   * The unit vector, `Float32Array[dims]`; `dims` is a power of two. A feature counts with the square root of its
   * occurrences. Throws if nothing was added.
   */
  vector(dims: number): Float32Array {
    // A pair of features may cancel out entirely: only then signs are ignored.
    const vector = this.#direction(dims, -1) ?? this.#direction(dims, 1);
    if (vector === null) throw new Error('a text without features has no vector');
    return vector;
  }

  #direction(dims: number, negative: 1 | -1): Float32Array | null {
    const sums = new Float64Array(dims);
    for (const [hash, index] of this.#index) {
      const weight = (this.#weights[index] ?? 0) * Math.sqrt(this.#counts[index] ?? 0);
      const place = hash & (dims - 1);
      sums[place] = (sums[place] ?? 0) + (hash < 0 ? negative * weight : weight);
    }
    let squares = 0;
    for (const sum of sums) squares += sum * sum;
    if (squares === 0) return null;
    const length = Math.sqrt(squares);
    for (let i = 0; i < dims; i++) sums[i] = (sums[i] ?? 0) / length;
    return new Float32Array(sums);
  }
}

/** FNV-1a over the UTF-16 code units, then MurmurHash3's finaliser, which makes every bit depend on every other. */
function hashOf(kind: number, text: string): number {
  let hash = Math.imul(0x811c9dc5 ^ kind, 0x01000193);
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
