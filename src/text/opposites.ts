import { simplified } from '../domain/simplified.js';

/**
 * Pairs of words that turn a question round, as alternatives of regular expressions: one says the first and never the
 * second, the other the second and never the first.
 */
const OPPOSITES: readonly (readonly [string, string])[] = [
  ['最[大多长高远快重]|至多', '最[小少短低近慢轻]|至少'],
  [
    '(?<!不)(?:大于|多于|高于|超过)|(?<![最至大差很许])多(?!少|边|项|面体|次)',
    '(?<!不)(?:小于|少于|低于)|(?<![最至多减缺])少(?!年|数)',
  ],
  ['增|提高|上升|升高|扩大', '减|降低|下降|缩小'],
  ['(?<!不)正确|真命题', '错误|不正确|假命题'],
  ...['属于', '符合', '可能', '包括', '需要', '一定', '是'].map((word) => [`(?<!不)${word}`, `不${word}`] as const),
  ['相向|相遇|迎面', '同向|追上|追及'],
  ['奇[数函]', '偶[数函]'],
  ['(?<!逆)顺[时水流风]', '逆[时水流风]'],
  ['[向往]左', '[向往]右'],
  ['之前', '之后'],
  ['串联', '并联'],
  ['平行', '垂直'],
  ['升序|[从由]小到大', '降序|[从由]大到小'],
  ['正比', '反比'],
  ['吸热', '放热'],
  [
    '\\b(?:maximum|maximal|max|largest|greatest|highest|longest|most)\\b',
    '\\b(?:minimum|minimal|min|smallest|least|lowest|shortest|fewest)\\b',
  ],
  ['\\b(?:more|greater|larger|longer|above)\\b', '\\b(?:less|fewer|smaller|shorter|below)\\b'],
  ['\\bincreas\\w*', '\\bdecreas\\w*'],
  ['(?<!not )\\b(?:true|correct)\\b', '\\b(?:false|incorrect|wrong|not true|not correct)\\b'],
  ['\\b(?:is|are)\\b(?! not\\b)', "\\b(?:is not|isn't|are not|aren't)\\b"],
  ['\\bodd\\b', '\\beven\\b'],
  ['\\bbefore\\b', '\\bafter\\b'],
  ['\\bparallel\\b', '\\bperpendicular\\b'],
  ['\\bascending\\b', '\\bdescending\\b'],
  ['\\bto the left\\b', '\\bto the right\\b'],
  ['(?<!counter-?|anti-?)clockwise', '(?:counter|anti)-?clockwise'],
];

type Pair = readonly [first: RegExp, second: RegExp];

const PAIRS = OPPOSITES.map(([first, second]): Pair => [new RegExp(first), new RegExp(second)]);

/**
 * Whether two questions of nearly the same wording ask for opposites: the maximum and the minimum, the right and the
 * wrong statement, trains that meet and a train that overtakes. True as well for one that says the same from the other
 * side: "A has 5 more than B", "B has 5 less than A". Questions that say both words are not compared.
 */
export function areOpposite(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => simplified(text).toLowerCase()) as [string, string];
  return PAIRS.some((pair) => side(pair, one) * side(pair, other) < 0);
}

/** 1: a text says the first words of a pair alone, -1: the second alone. */
function side([first, second]: Pair, text: string): number {
  return Number(first.test(text)) - Number(second.test(text));
}
