import { Args, Ctx, Float, Int, Query, Resolver } from 'type-graphql';
import { parseSuggest } from '../../src/domain/parse/search.js';
import type { TagSuggestion as Suggestion, TagSuggester } from '../../src/search/suggest.js';
import type { Context } from '../context.js';
import { PerspectiveEnum } from '../enums.js';
import { argsType, field, nullable, outputType } from '../types.js';

const SuggestTagsArgs = argsType({
  text: field(String, 'A question, with or without its solution: up to 16384 bytes of UTF-8.'),
  first: nullable(Int, 'Maximum number of suggestions, from 1 to 50.', { defaultValue: 5 }),
});

@Resolver()
export class SuggestResolver {
  constructor(private readonly suggester: Pick<TagSuggester, 'suggest'>) {}

  @Query(() => [TagSuggestion], {
    description: 'Suggests topic tags and error types for a text, based on the cards that carry them; best first.',
  })
  async suggestTags(
    @Args(() => SuggestTagsArgs) { text, first }: InstanceType<typeof SuggestTagsArgs>,
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
