import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { parseName } from '../../src/domain/parse/golden.js';
import { parseAfter } from '../../src/domain/parse/page.js';
import { parseSearch } from '../../src/domain/parse/search.js';
import type { SearchProfiles } from '../../src/domain/ports/evaluation.js';
import type { SearchEngine } from '../../src/domain/ports/gateway.js';
import type { SearchOperation } from '../../src/domain/search.js';
import { noteSearch } from '../../src/http/log.js';
import { searchSettings } from '../../src/search/profile.js';
import type { Context } from '../context.js';
import { HybridSearchArgs, SearchArgs } from './search.input.js';
import { SearchResult } from './search.type.js';
import { type SearchPage, SearchPages } from './search-page.js';

/** The five searches; they differ in how much each perspective counts. */
@Resolver()
export class SearchResolver {
  constructor(
    private readonly engine: SearchEngine,
    private readonly profiles: Pick<SearchProfiles, 'named' | 'chosen'>,
  ) {}

  @Query(() => SearchResult, {
    description: 'Cards whose question is similar to the text, or to the question of the card.',
  })
  similarQuestions(@Args(() => SearchArgs) args: SearchArgs, @Ctx() context: Context): Promise<SearchPage> {
    return this.search('similarQuestions', args, context);
  }

  @Query(() => SearchResult, { description: 'Cards with a similar wrong solution or reference solution.' })
  bySolution(@Args(() => SearchArgs) args: SearchArgs, @Ctx() context: Context): Promise<SearchPage> {
    return this.search('bySolution', args, context);
  }

  @Query(() => SearchResult, {
    description:
      'Cards that train the same knowledge points. A text that is the name of an error type, and of no topic tag, finds the cards with that error type.',
  })
  byConcept(@Args(() => SearchArgs) args: SearchArgs, @Ctx() context: Context): Promise<SearchPage> {
    return this.search('byConcept', args, context);
  }

  @Query(() => SearchResult, {
    description:
      'Cards with the same kind of error. A text that is the name of a topic tag, and of no error type, finds the cards with that topic tag.',
  })
  byError(@Args(() => SearchArgs) args: SearchArgs, @Ctx() context: Context): Promise<SearchPage> {
    return this.search('byError', args, context);
  }

  @Query(() => SearchResult, {
    description: 'Cards that are similar in a weighted combination of the four perspectives.',
  })
  hybridSearch(@Args(() => HybridSearchArgs) args: SearchArgs, @Ctx() context: Context): Promise<SearchPage> {
    return this.search('hybridSearch', args, context);
  }

  private async search(
    operation: SearchOperation,
    { profile, after, ...args }: SearchArgs,
    { viewer, searchSignal, facts }: Context,
  ): Promise<SearchPage> {
    const chosen =
      profile == null
        ? await this.profiles.chosen(viewer)
        : await this.profiles.named(viewer, parseName(profile, 'profile'), 'profile');
    const request = parseSearch(operation, args, searchSettings(operation, chosen, args));
    const { topK: _, ...asked } = { ...args, profile };
    const pages = new SearchPages({ viewer, asked, request, after: parseAfter(after, 'after') });
    const startedMs = Date.now();
    const result = await this.engine.search(viewer, pages.request, searchSignal);
    noteSearch(facts, operation, startedMs, result.receipt);
    return pages.pageOf(result);
  }
}
