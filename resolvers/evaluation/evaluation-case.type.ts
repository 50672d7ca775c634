import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { CaseReport as MeasuredCase } from '../../src/evaluation/reports/report.js';
import { connectionType } from '../connection.js';

@ObjectType({ description: 'How one ranking did in one case.', simpleResolvers: true })
export class CaseValue {
  @Field(() => String, { description: 'The ranking.' })
  ranking!: string;

  @Field(() => Float, { description: 'The nDCG@10.' })
  ndcgAt10!: number;

  @Field(() => Float, { description: 'The reciprocal rank of the first relevant hit; 0 without one.' })
  mrr!: number;
}

@ObjectType({ description: 'A measured case.', simpleResolvers: true })
export class CaseReport {
  @Field(() => ID, { description: 'The id of the case.' })
  id!: string;

  @Field(() => String, { description: 'The query, or the question of the query card.' })
  text!: string;

  @Field(() => [CaseValue], { description: 'How each ranking did, in the order of the rankings.' })
  values!: readonly CaseValue[];
}

@ObjectType({ description: 'A page of the measured cases, as a Relay connection.', simpleResolvers: true })
export class CaseReportConnection extends connectionType<CaseReport>('CaseReport', CaseReport, {
  one: 'case',
  many: 'cases',
  edge: 'A measured case and its place in the list.',
}) {
  @Field(() => Int, { description: 'Number of cases on all pages.' })
  totalCount!: number;
}

/** A case with the names of its rankings. */
export function shownCase({ id, text, values }: MeasuredCase, rankings: readonly string[]): CaseReport {
  return { id, text, values: values.map((value, place) => ({ ranking: rankings[place] ?? '', ...value })) };
}
