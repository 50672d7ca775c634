import type { MetadataEntry as Entry } from '../../src/domain/card.js';
import { inputType, outputType } from '../types.js';

export const MetadataEntry = outputType<Entry>(
  'MetadataEntry',
  'What an app stores with a card: a key with its value.',
  {
    key: { type: String, description: 'The key.' },
    value: { type: String, description: 'The value.' },
  },
);

export const MetadataInput = inputType('MetadataInput', 'A key with its value.', {
  key: { type: String, description: 'The key: 1 to 100 characters.' },
  value: { type: String, description: 'The value: 1 to 1000 characters.' },
});
