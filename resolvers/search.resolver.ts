import { Args, Ctx, Query, Resolver, UseMiddleware } from 'type-graphql';
import { parseName } from '../src/domain/parse/golden.js';
import { parseSearch } from '../src/domain/parse/search.js';
import type { SearchProfiles } from '../src/domain/ports/evaluation.js';
import type { SearchEngine } from '../src/domain/ports/gateway.js';
import type { SearchResult as Result, SearchOperation } from '../src/domain/search.js';
import type { Viewer } from '../src/domain/viewer.js';
import { noteSearch } from '../src/http/log.js';
import { settingsOf } from '../src/search/profile.js';
import type { Context } from './context.js';
import { withinDeadline } from './deadline.js';
import { HybridSearchArgs, SearchArgs } from './search.input.js';
import { SearchResult } from './search.type.js';

/** Watches searches from outside: runs one, and answers as it does. */
export interface SearchMeter {
  measure(operation: SearchOperation, viewer: Viewer, search: () => Promise<Result>): Promise<Result>;
}

/** The five searches; they differ in how much each perspective counts. */
@Resolver()
@UseMiddleware(withinDeadline)
export class SearchResolver {
  constructor(
    private readonly engine: SearchEngine,
    private readonly meter: SearchMeter,
    private readonly profiles: Pick<SearchProfiles, 'named' | 'chosen'>,
  ) {}

  @Query(() => SearchResult, {
    description: 'Cards whose question is like the text, or like the question of the card.',
  })
  similarQuestions(@Args(() => SearchArgs) args: SearchArgs, @Ctx() context: Context): Promise<Result> {
    return this.search('similarQuestions', args, context);
  }

  @Query(() => SearchResult, { description: 'Cards that were solved, or should have been, in a similar way.' })
  bySolution(@Args(() => SearchArgs) args: SearchArgs, @Ctx() context: Context): Promise<Result> {
    return this.search('bySolution', args, context);
  }

  @Query(() => SearchResult, { description: 'Cards that train the same knowledge points.' })
  byConcept(@Args(() => SearchArgs) args: SearchArgs, @Ctx() context: Context): Promise<Result> {
    return this.search('byConcept', args, context);
  }

  @Query(() => SearchResult, { description: 'Cards with the same kind of error.' })
  byError(@Args(() => SearchArgs) args: SearchArgs, @Ctx() context: Context): Promise<Result> {
    return this.search('byError', args, context);
  }

  @Query(() => SearchResult, {
    description: 'Cards that are alike in all four perspectives, weighed against each other.',
  })
  hybridSearch(@Args(() => HybridSearchArgs) args: HybridSearchArgs, @Ctx() context: Context): Promise<Result> {
    return this.search('hybridSearch', args, context);
  }

  private async search(
    operation: SearchOperation,
    { profile, ...args }: SearchArgs,
    { viewer, searchSignal, facts }: Context,
  ): Promise<Result> {
    const { settings } =
      profile == null
        ? await this.profiles.chosen(viewer)
        : await this.profiles.named(viewer, parseName(profile, 'profile'), 'profile');
    const request = parseSearch(operation, args, settingsOf(operation, settings));
    const startedMs = Date.now();
    const result = await this.meter.measure(operation, viewer, () => this.engine.search(viewer, request, searchSignal));
    noteSearch(facts, operation, startedMs, result.receipt);
    return result;
  }
}
