import { Arg, Ctx, Float, Int, Query, Resolver } from 'type-graphql';
import { parseSuggest } from '../../src/domain/parse/search.js';
import type { TagSuggestion as Suggestion, TagSuggester } from '../../src/search/suggest.js';
import type { Context } from '../context.js';
import { PerspectiveEnum } from '../enums.js';
import { field, outputType } from '../types.js';

@Resolver()
export class SuggestResolver {
  constructor(private readonly suggester: Pick<TagSuggester, 'suggest'>) {}

  @Query(() => [TagSuggestion], {
    description: 'Suggests topic tags and error types for a text, based on the cards that carry them; best first.',
  })
  async suggestTags(
    @Arg('text', () => String, { description: 'A question, with or without its solution: up to 16384 bytes of UTF-8.' })
    text: string,
    @Arg('first', () => Int, {
      nullable: true,
      defaultValue: 5,
      description: 'Maximum number of suggestions, from 1 to 50.',
    })
    first: number | null,
    @Ctx() { viewer, searchSignal }: Context,
  ): Promise<readonly Suggestion[]> {
    const wanted = parseSuggest({ text, first });
    return this.suggester.suggest(viewer, wanted.text, wanted.first, searchSignal);
  }
}

const TagSuggestion = outputType<Suggestion>('TagSuggestion', 'A suggested label.', {
  tag: field(String, 'The label.'),
  perspective: field(PerspectiveEnum, 'CONCEPT for a topic tag, ERROR for an error type.'),
  score: field(Float, 'How well the text matches the cards with this label, from 0 to 1.'),
  cards: field(Int, 'Number of cards with the label.'),
});
