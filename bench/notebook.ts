import type { NewCard } from '../src/domain/card.js';
import { seededRandom } from '../src/evaluation/random.js';

const WHO = ['小明', '小红', '甲', '乙', '王老师', '工程队', '农场', 'Anna', 'a train', 'the tank'];
const THINGS = ['苹果', '练习本', '水', '盐', '路程', '图书', '钢材', 'apples', 'litres', 'tickets'];
const ASKS = [
  '一共有多少',
  '还剩多少',
  '平均每份是多少',
  '需要几天完成',
  '速度是多少',
  'how many are left',
  'what is the ratio',
];
const FORMS = [
  '\\frac{A}{B}',
  'A x + B = C',
  'x^2 + A x = B',
  'A \\times B - C',
  '\\sqrt{A}',
  '(A + x)(B - x)',
  'A : B = C : x',
];
const TOPICS = [
  '分数',
  '方程',
  '比例',
  '几何',
  '速度',
  '浓度',
  '函数',
  '概率',
  '不等式',
  '数列',
  'force',
  'energy',
  'circuit',
  'mole',
  'cell',
];
const ASPECTS = [
  '加减',
  '应用题',
  '图像',
  '性质',
  '判定',
  '最值',
  '讨论',
  '估算',
  '证明',
  'basics',
  'word problems',
  'graphs',
];
const ERRORS = ['计算错误', '概念混淆', '审题不清', '公式误用', '步骤遗漏', '单位错误', 'sign error', 'wrong formula'];
const SUBJECTS = ['math', 'math', 'math', 'physics', 'chemistry'];

/** A made-up notebook of `count` cards, all different, some without a solution or an error, as real ones are. */
export function notebook(count: number, seed = 1): readonly NewCard[] {
  const random = seededRandom(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const number = (): string => String(1 + Math.floor(random() * 999));
  const formula = (): string => pick(FORMS).replace(/[ABC]/g, number);
  const sentence = (): string =>
    `${pick(WHO)} ${number()} ${pick(THINGS)}，${pick(TOPICS)}${pick(ASPECTS)}，$${formula()}$，${pick(ASKS)}？`;
  return Array.from({ length: count }, (_, place) => ({
    id: `bench-${place}`,
    subject: pick(SUBJECTS),
    grade: `G${1 + Math.floor(random() * 12)}`,
    difficulty: 1 + Math.floor(random() * 5),
    questionText: Array.from({ length: 1 + Math.floor(random() * 3) }, sentence).join(''),
    choices: [],
    studentSolutionText: random() < 0.8 ? `$${formula()}$，${pick(THINGS)} ${number()}，$x = ${number()}$` : null,
    goldSolutionBrief: random() < 0.7 ? `$${formula()} = ${number()}$，${pick(ASKS)}` : null,
    topicTags: [`${pick(TOPICS)}${pick(ASPECTS)}`],
    errorTypes: random() < 0.9 ? [pick(ERRORS)] : [],
    qualityGrade: null,
    source: null,
    notes: null,
    occurredAt: new Date(Date.UTC(2026, 0, 1 + (place % 300))),
    metadata: [],
    attachments: [],
  }));
}

/** The cards as JSON Lines; a `mark` distinguishes the ids and questions of two files. */
export function* linesOf(cards: readonly NewCard[], mark: string): Generator<string> {
  for (const { id, questionText, ...card } of cards) {
    yield `${JSON.stringify({ id: `${mark}-${id}`, ...card, questionText: `${mark} ${questionText}` })}\n`;
  }
}
