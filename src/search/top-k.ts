/** As many numbers as this many times the limit are gathered before the lesser ones are thrown out. */
const ROOM = 4;

/** Finds the greatest of many values; the room that this takes is used again. */
export class TopK {
  #room = new Uint32Array(0);

  /**
   * The places of the `limit` greatest values above 0, greatest first, equal ones by id, then, while there is room, of values of 0;
   * others are passed over. Nearly all values are dismissed by one comparison with the least that was kept so far.
   */
  of(values: Float64Array, limit: number, ids: readonly string[]): readonly number[] {
    if (limit === 0) return [];
    if (this.#room.length < ROOM * limit) this.#room = new Uint32Array(ROOM * limit);
    const room = this.#room;
    const full = ROOM * limit;
    const before = (a: number, b: number): number =>
      (values[b] as number) - (values[a] as number) || ((ids[a] as string) < (ids[b] as string) ? -1 : 1);
    let least = Number.MIN_VALUE;
    let count = 0;
    for (let place = 0; place < values.length; place++) {
      if (!((values[place] as number) >= least)) continue;
      room[count++] = place;
      if (count < full) continue;
      room.subarray(0, count).sort(before);
      count = limit;
      least = values[room[limit - 1] as number] as number;
    }
    const found = [...room.subarray(0, count).sort(before).subarray(0, limit)];
    for (let place = 0; found.length < limit && place < values.length; place++)
      if (values[place] === 0) found.push(place);
    return found;
  }
}
