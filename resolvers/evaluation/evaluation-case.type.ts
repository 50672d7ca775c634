import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import type { CaseReport as MeasuredCase } from '../../src/evaluation/reports/report.js';
import { PageInfo } from '../cards/card-connection.type.js';

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

@ObjectType({ description: 'A measured case and its place in the list.', simpleResolvers: true })
export class CaseReportEdge {
  @Field(() => String, { description: 'The position of the case in this list.' })
  cursor!: string;

  @Field(() => CaseReport, { description: 'The case itself.' })
  node!: CaseReport;
}

@ObjectType({ description: 'A page of the measured cases, as a Relay connection.', simpleResolvers: true })
export class CaseReportConnection {
  @Field(() => [CaseReportEdge], { description: 'The cases of the page with their cursors.' })
  edges!: readonly CaseReportEdge[];

  @Field(() => [CaseReport], { description: 'The cases of the page without their cursors.' })
  nodes!: readonly CaseReport[];

  @Field(() => PageInfo, { description: 'Position of the page in the list.' })
  pageInfo!: PageInfo;

  @Field(() => Int, { description: 'Number of cases on all pages.' })
  totalCount!: number;
}

/** A case with the names of its rankings. */
export function shownCase({ id, text, values }: MeasuredCase, rankings: readonly string[]): CaseReport {
  return { id, text, values: values.map((value, place) => ({ ranking: rankings[place] ?? '', ...value })) };
}
