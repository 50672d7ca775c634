const OPENING = '<think>';
const CLOSING = '</think>';

/** vLLM without a parser: the template of the model has opened the thought already. */
const UNMARKED =
  'the model writes its thoughts as a part of the answer: its server must tell them apart (reasoning parser)';

/**
 * Takes out what some models write before their answer, for themselves: `<think>...</think>` at the beginning. Throws
 * at the end of a thought whose beginning is not marked, which may have told the answer.
 */
export class ThoughtFilter {
  #state: 'before' | 'within' | 'after' = 'before';
  #held = '';

  push(text: string): string {
    if (this.#state === 'after') return this.#checked(text);
    this.#held += text;
    if (this.#state === 'before') {
      const begun = this.#held.trimStart();
      if (OPENING.startsWith(begun) || CLOSING.startsWith(begun)) return '';
      // An empty thought may be unmarked.
      if (!begun.startsWith(OPENING) && !begun.startsWith(CLOSING)) return this.#release(this.#held);
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
    return this.#checked(text);
  }

  #checked(text: string): string {
    const read = this.#held + text;
    if (read.includes(CLOSING)) throw new Error(UNMARKED);
    this.#held = read.slice(-(CLOSING.length - 1));
    return text;
  }
}
