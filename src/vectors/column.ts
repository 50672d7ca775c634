/** The values of one dimension that are not 0, and which row each is of; in two flat arrays. */
export class Column {
  #rows = new Uint32Array(4);
  #values = new Float32Array(4);
  #length = 0;

  /** The size of its arrays. */
  get bytes(): number {
    return this.#rows.byteLength + this.#values.byteLength;
  }

  /** Adds a row's value; a row that is here already must not be added again. */
  add(row: number, value: number): void {
    if (this.#length === this.#rows.length) this.#resize(Math.ceil(this.#length * 1.3) + 4);
    this.#rows[this.#length] = row;
    this.#values[this.#length++] = value;
  }

  /** Adds `factor` times each value to the sum of its row. */
  addTo(sums: Float32Array, factor: number): void {
    const rows = this.#rows;
    const values = this.#values;
    const length = this.#length;
    let at = 0;
    // Four at a time: the search spends most of its time here.
    for (const end = length - 3; at < end; at += 4) {
      const a = rows[at] as number;
      const b = rows[at + 1] as number;
      const c = rows[at + 2] as number;
      const d = rows[at + 3] as number;
      sums[a] = (sums[a] as number) + factor * (values[at] as number);
      sums[b] = (sums[b] as number) + factor * (values[at + 1] as number);
      sums[c] = (sums[c] as number) + factor * (values[at + 2] as number);
      sums[d] = (sums[d] as number) + factor * (values[at + 3] as number);
    }
    for (; at < length; at++) {
      const row = rows[at] as number;
      sums[row] = (sums[row] as number) + factor * (values[at] as number);
    }
  }

  /** The same values under other rows; those whose row becomes -1 are left out. */
  moved(rowOf: Int32Array): Column {
    const column = new Column();
    for (let at = 0; at < this.#length; at++) {
      const row = rowOf[this.#rows[at] as number] as number;
      if (row >= 0) column.add(row, this.#values[at] as number);
    }
    return column;
  }

  #resize(capacity: number): void {
    const rows = new Uint32Array(capacity);
    const values = new Float32Array(capacity);
    rows.set(this.#rows);
    values.set(this.#values);
    this.#rows = rows;
    this.#values = values;
  }
}
