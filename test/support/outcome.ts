import { BadInputError } from '../../src/domain/errors.js';

/** What the parser made of it, or the field that it refused; anything else that is thrown fails the test. */
export function outcome<T>(parse: () => T): { readonly value: T } | { readonly refused: string } {
  try {
    return { value: parse() };
  } catch (thrown) {
    if (thrown instanceof BadInputError) return { refused: thrown.field };
    throw thrown;
  }
}

/** The field that was refused; `nothing` where none was. */
export function refusedField(parse: () => unknown): string {
  const result = outcome(parse);
  return 'refused' in result ? result.refused : 'nothing';
}
