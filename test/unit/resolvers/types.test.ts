import 'reflect-metadata';
import { GraphQLObjectType } from 'graphql';
import { Int } from 'type-graphql';
import { expect, test } from 'vitest';
import { apiSchema } from '../../../resolvers/schema.js';
import { computed, field, nullable, outputType } from '../../../resolvers/types.js';

interface Parcel {
  readonly id: number;
  readonly note: string | null;
  readonly secret: string;
}

// Vitest does not check types: the `@ts-expect-error` cases are checked only by `npm run types`.
test('the compiler compares the fields of a type with those of its values', () => {
  const id = field(Int, 'Its number.');
  const note = nullable(String, 'What is written on it.');
  const double = computed(Int, 'Twice its number.', (parcel: Parcel) => 2 * parcel.id);
  outputType<Parcel, 'secret'>('A', 'A parcel.', { id, note }, { double });
  // @ts-expect-error `note` is missing.
  outputType<Parcel, 'secret'>('B', 'A parcel.', { id });
  // @ts-expect-error `note` may be null.
  outputType<Parcel, 'secret'>('C', 'A parcel.', { id, note: field(String, 'What is written on it.') });
  // @ts-expect-error `id` is never null.
  outputType<Parcel, 'secret'>('D', 'A parcel.', { id: nullable(Int, 'Its number.'), note });
  // @ts-expect-error A parcel has no weight.
  outputType<Parcel, 'secret'>('E', 'A parcel.', { id, note, weight: field(Int, 'In grams.') });
  computed(String, 'What is written on it.', (parcel: Parcel) => parcel.note, { nullable: true });
  // @ts-expect-error The computed value may be null.
  computed(String, 'What is written on it.', (parcel: Parcel) => parcel.note);
});

test('a computed field is read from what the resolver has returned', () => {
  const { ghosts } = (apiSchema().getType('IndexReconciliation') as GraphQLObjectType).getFields();
  expect(ghosts?.resolve?.({ orphans: 7 }, {}, undefined, undefined as never)).toBe(7);
});
