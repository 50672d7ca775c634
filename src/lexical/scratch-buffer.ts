/**
 * Room for numbers that is used again and again: an array of hundreds of kilobytes that is made anew for each search is given
 * page by page by the system, which takes time with each page that is touched first.
 */
export class Scratch<Room extends Float64Array | Float32Array> {
  readonly #Room: new (
    length: number,
  ) => Room;
  #room: Room;

  constructor(Room: new (length: number) => Room) {
    this.#Room = Room;
    this.#room = new Room(0);
  }

  /** An array of this length, with whatever the last user left in it; the same room as every time. */
  of(length: number): Room {
    if (length > this.#room.length) this.#room = new this.#Room(Math.ceil(1.2 * length));
    return this.#room.subarray(0, length) as Room;
  }
}
