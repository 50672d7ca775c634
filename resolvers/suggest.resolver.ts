import { Arg, Ctx, Int, Query, Resolver, UseMiddleware } from 'type-graphql';
import { parseSuggest } from '../src/domain/parse/search.js';
import type { TagSuggestion as Suggestion, TagSuggester } from '../src/domain/ports/gateway.js';
import type { Context } from './context.js';
import { withinDeadline } from './deadline.js';
import { TagSuggestion } from './suggest.type.js';

@Resolver()
@UseMiddleware(withinDeadline)
export class SuggestResolver {
  constructor(private readonly suggester: TagSuggester) {}

  @Query(() => [TagSuggestion], {
    description: 'Suggests topic tags and error types for a text, by the cards that carry them; best first.',
  })
  async suggestTags(
    @Arg('text', () => String, { description: 'A question, with or without its solution: 1 to 2000 characters.' })
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
