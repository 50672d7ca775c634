import type { CardFields } from '../generated/operations.js';

/** Characters of a question in a name. */
const NAME_LENGTH = 60;

/** The beginning of a question, to name its card where no formula can be set: people do not know the ids of cards. */
export function questionName({ questionText }: Pick<CardFields, 'questionText'>): string {
  const characters = [...questionText.trim().replace(/\s+/g, ' ')];
  return characters.length > NAME_LENGTH ? `${characters.slice(0, NAME_LENGTH).join('')}…` : characters.join('');
}
