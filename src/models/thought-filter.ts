const OPENING = '<think>';
const CLOSING = '</think>';

/** Takes out what some models write before their answer, for themselves: `<think>...</think>` at the beginning. */
export class ThoughtFilter {
  #state: 'before' | 'within' | 'after' = 'before';
  #held = '';

  push(text: string): string {
    if (this.#state === 'after') return text;
    this.#held += text;
    if (this.#state === 'before') {
      const begun = this.#held.trimStart();
      if (OPENING.startsWith(begun)) return '';
      if (!begun.startsWith(OPENING)) return this.#release(this.#held);
      this.#state = 'within';
    }
    const at = this.#held.indexOf(CLOSING);
    if (at >= 0) return this.#release(this.#held.slice(at + CLOSING.length).trimStart());
    this.#held = this.#held.slice(-(CLOSING.length - 1));
    return '';
  }

  /** Returns the text that is buffered because it might begin a thought; an unfinished thought is dropped. */
  end(): string {
    return this.#state === 'before' ? this.#held : '';
  }

  #release(text: string): string {
    this.#state = 'after';
    this.#held = '';
    return text;
  }
}
