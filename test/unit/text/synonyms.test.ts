import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalise } from '../../../src/text/normalise.js';
import { Phrases, phraseOf } from '../../../src/text/phrases.js';
import { Synonyms, schoolSynonyms } from '../../../src/text/synonyms.js';
import { Tokenizer } from '../../../src/text/tokenizer.js';
import { expectGrowthBelow } from '../../support/cpu-time.js';
import { runs } from '../../support/runs.js';

const tokenizer = new Tokenizer();
const school = schoolSynonyms();
const groups = school.map(({ names }) => names);
const members = school.map(({ names, said = [] }) => [...names, ...said]);
const phrases = new Phrases(tokenizer);
const synonyms = new Synonyms(phrases);
const memberArb = fc.constantFrom(...groups.flat());
const keyOf = (member: string): string => phraseOf(member, tokenizer).text;

/** Every run of whole words of a text, as phrases spell it. */
function runsOf(text: string): ReadonlySet<string> {
  const phrase = phraseOf(text, tokenizer);
  return new Set(
    phrase.starts.flatMap((start, word) => phrase.ends.slice(word).map((end) => phrase.text.slice(start, end))),
  );
}

/** Whether a text has a name, as phrases spell it: as whole words, or across words from three Chinese characters on. */
function saidIn(text: string): (key: string) => boolean {
  const phrase = phraseOf(text, tokenizer);
  const whole = runsOf(text);
  const isAcross = (key: string, start: number): boolean =>
    [...key].some((_, offset) => offset > 0 && phrase.text.startsWith(key, start - offset) && start >= offset);
  return (key) =>
    whole.has(key) || (/^\p{Script=Han}{3,}$/u.test(key) && phrase.starts.some((start) => isAcross(key, start)));
}

describe('the file of synonyms', () => {
  test('has several hundred groups of at least two members, all in display spelling', () => {
    expect(groups.length).toBeGreaterThan(600);
    for (const group of groups) {
      expect(group.length).toBeGreaterThan(1);
      for (const member of group) {
        expect(member).toMatch(/^[\p{Script=Han}A-Za-zÀ-ÿ' -]+$/u);
        expect([member.trim(), normalise(member), member.replace(/ {2,}/g, ' ')]).toEqual([member, member, member]);
      }
    }
  });

  test('has no name twice, in any spelling', () => {
    const keys = members.flat().map(keyOf);
    expect(keys.filter((key, place) => key === '' || keys.indexOf(key) !== place)).toEqual([]);
    expect(
      () =>
        new Synonyms(phrases, [
          { names: ['red circle', 'c'], broader: null },
          { names: ['d', 'RED  Circles'], broader: null },
        ]),
    ).toThrow('"RED  Circles"');
  });

  test('has no broader name that is no synonym itself', () => {
    expect(() => new Synonyms(phrases, [{ names: ['red', 'crimson'], broader: 'colour' }])).toThrow('colour');
  });

  test('has no name contained in another of its group', () => {
    const within = members.flatMap((group) =>
      group.filter((one) => group.some((other) => other !== one && runsOf(one).has(keyOf(other)))),
    );
    expect(within).toEqual([]);
  });

  test('has no one-character name, and no short English word except abbreviations', () => {
    const short = groups.flat().filter((member) => member.length < (/\p{Script=Han}/u.test(member) ? 2 : 6));
    expect(short.sort().join(' ')).toBe('DNA GCD LCM RNA atom dicot noun redox surd tides verb');
  });

  test.each([
    ['mathematics', '一元二次方程', 'quadratic equation'],
    ['mathematics', '勾股定理', '毕达哥拉斯定理'],
    ['physics', '受力分析', 'free-body diagram'],
    ['chemistry', '氧化还原反应', 'redox'],
    ['biology', '光合作用', 'photosynthesis'],
    ['Chinese', '修辞手法', 'rhetorical device'],
    ['English', '定语从句', 'relative clause'],
    ['errors', '审题不清', 'misread the question'],
    ['errors', 'calculation error', '算错'],
    ['errors', '没验根', '未舍增根'],
    ['errors', '退位没减一', '忘记退位'],
    ['mathematics', '分情况讨论', 'case analysis'],
    ['history', '二战', 'World War II'],
    ['history', '卢沟桥事变', '抗日战争'],
    ['geography', '时区', '地球自转'],
    ['politics', '辩证法', '唯物辩证法'],
    ['information technology', 'if语句', '分支结构'],
    ['English', '动名词', '非谓语动词'],
    ['physics', '牛二定律', '牛顿第二定律'],
    ['errors', '漏答要点', '要点不全'],
    ['history', '第一次鸦片战争', '鸦片战争'],
    ['history', '双十二事变', '西安事变'],
    ['information technology', '下标越界', 'index out of range'],
  ])('covers %s: %s is %s', (_, one, other) => {
    expect(synonyms.of(one)).toContain(other);
  });

  test.each([
    ['电学', '欧姆定律'],
    ['optics', '平面镜成像'],
    ['立体几何', 'dihedral angle'],
    ['genetics', '伴性遗传'],
  ])('has parts of subjects, which find what belongs to them and are not found by it: %s, %s', (part, name) => {
    expect(synonyms.below(part)).toContain(name);
    expect(synonyms.of(name)).not.toContain(part);
  });
});

describe('the synonyms of a text', () => {
  test('of a single name are the other names of its group, and then those of the broader group', () => {
    for (const { names, broader } of school) {
      const wider = groups.find((group) => broader !== null && group.includes(broader)) ?? [];
      for (const member of names) {
        const others = [...names.filter((other) => other !== member), ...wider];
        const own = runsOf(member);
        expect(synonyms.of(member)).toEqual(others.filter((other) => !own.has(keyOf(other))));
      }
    }
  });

  test.each([
    [
      'come in the order of the text',
      'He misread the graph, a sign error',
      ['读图错误', '看错图', 'misread the diagram', '符号错误'],
    ],
    ['are found in the plural and in any case', 'QUADRATIC Equations', ['一元二次方程', '二次方程']],
    ['are found in a Chinese sentence', '请用勾股定理求斜边长', ['毕达哥拉斯定理', '商高定理']],
    ['are not those of a word within a word', '位移动了单位', []],
    ['are not those of a part of an English word', 'the pentagonal dnah', []],
    [
      'are not those of a name within a longer name',
      'kinetic friction',
      ['滑动摩擦力', '动摩擦力', 'sliding friction'],
    ],
    [
      'leave out what the text says already',
      '勾股定理（毕达哥拉斯定理）',
      ['商高定理', 'Pythagorean theorem', 'Pythagoras'],
    ],
    ['of a text that names nothing are none', '小明有 3 个苹果', []],
    ['of an empty text are none', '', []],
  ])('%s', (_, text, expected) => {
    expect(synonyms.of(text).slice(0, Math.max(1, expected.length))).toEqual(expected);
  });

  test.each([
    ['a step', ['移项未变号', '移项没有变号', '移项的时候忘了变号', '移项时忘记变号', '移项忘变号'], '移项不变号'],
    ['a check', ['没检验', '没有检验', '忘记了检验', '忘掉检验', '还未检验'], 'forgot to check the answer'],
    ['an article', ['forgot to convert units', "I didn't convert the units", 'did not convert unit'], '单位未换算'],
  ])('of %s are the same, however it says that something was forgotten or not done', (_, texts, other) => {
    for (const text of texts) expect(synonyms.of(text)).toContain(other);
  });

  test.each([
    ['题目看错了', '审题不清'],
    ['条件漏掉了', '漏看条件'],
    ['变号忘了', '没有变号'],
    ['配平忘了', '配平错误'],
    ['符号都没有改变', '没有变号'],
    ['我把公式给套错了', '公式误用'],
    ['步骤又漏了', '步骤遗漏'],
    ['misread my question', '审题不清'],
    ['计算的时候又错了', '算错'],
    ['符号出错', '正负号错误'],
    ['受力分析有误', '受力图错误'],
    ['周长和面积弄混了', '混淆周长和面积'],
    ['半径和直径分不清', '混淆半径和直径'],
    ['自转和公转又搞混了', '概念混淆'],
    ['方向搞错了', '方向判断错误'],
    ['忘了进1', '进位错误'],
    ['单位“1”弄错了', '找错单位一'],
    ['1元2次方程 3x²=12', '二次方程'],
    ['cone volume', '圆锥的体积'],
    ['circle area', '圆的面积'],
  ])(
    'of a name with its parts changed round, with small words, digits, or another word for 错误 or 混淆 are its own: %s',
    (text, other) => {
      expect(synonyms.of(text)).toContain(other);
    },
  );

  test.each([
    ['不会搞混合运算', 'mixed operations'],
    ['这两个分数通分不清楚', 'finding a common denominator'],
  ])('of a name whose characters also mean to confuse are its own: %s', (text, other) => {
    expect(synonyms.of(text)).toContain(other);
  });

  test('of confusion are not those of what is unclear', () => {
    expect(phraseOf('这部分不清楚', tokenizer).text).not.toContain('混淆');
    expect(phraseOf('半径和直径分不清楚', tokenizer).text).toContain('混淆');
  });

  test('prefer a name that is written so to one with its parts changed round', () => {
    const own = new Synonyms(phrases, [
      { names: ['乘法分数', '分数倍'], broader: null },
      { names: ['分数乘法', '分数相乘'], broader: null },
    ]);
    expect([own.of('分数乘法'), own.of('乘法分数')]).toEqual([['分数相乘'], ['分数倍']]);
  });

  test.each(['遗忘检验', '未知数', '没'])('but not of %s', (text) => {
    expect(synonyms.of(text)).toEqual([]);
  });

  test('are not in the text, each once, at most twenty, and of groups with a name in the text', () => {
    const pieceArb = fc.oneof(memberArb, fc.constantFrom('的', '，', ' and ', '求', 'x + 1 = 2', '错误', ' error '));
    fc.assert(
      fc.property(fc.array(pieceArb, { maxLength: 12 }), (pieces) => {
        const text = pieces.join(' ');
        const found = synonyms.of(text);
        const [runs, isSaid] = [runsOf(text), saidIn(text)];
        expect(found.length).toBeLessThanOrEqual(20);
        expect(new Set(found).size).toBe(found.length);
        for (const one of found) {
          expect(runs.has(keyOf(one))).toBe(false);
          const group = groups.find((members) => members.includes(one)) ?? [];
          const kinds = school.filter(({ broader }) => broader !== null && group.includes(broader));
          const groupsOf = [group, ...kinds.map(({ names }) => names)];
          expect(groupsOf.flat().some((other) => isSaid(keyOf(other)))).toBe(true);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test('are the same for every spelling of the text', () => {
    const wide = (text: string): string =>
      text.replace(/[!-+--~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)).replaceAll(' ', '\u3000');
    fc.assert(
      fc.property(fc.array(memberArb, { minLength: 1, maxLength: 4 }), (members) => {
        const text = members.join('，');
        const found = synonyms.of(text);
        for (const written of [
          text.toUpperCase(),
          text.toLowerCase(),
          wide(text),
          text.normalize('NFD'),
          normalise(text),
        ]) {
          expect(synonyms.of(written)).toEqual(found);
        }
      }),
    );
  });

  test('of a long text are found in time in proportion to its length', () => {
    const ofNames = (times: number): (() => unknown) => {
      const text = '一元二次方程 quadratic '.repeat(times);
      return () => synonyms.of(text);
    };
    expectGrowthBelow(8, ofNames, 200);
  });

  test('are found in the same time however long the names are', () => {
    const text = '1/'.repeat(4_000);
    const withName = (length: number): (() => unknown) => {
      const one = new Synonyms(phrases, [{ names: ['a long one '.repeat(length), 'short'], broader: null }]);
      return () => one.of(text);
    };
    // The same work once instead of ten times.
    expectGrowthBelow(1, withName, 4);
  });

  test('are whole words, also where a name begins like another', () => {
    const one = new Synonyms(phrases, [
      { names: ['law', 'rule'], broader: null },
      { names: ['law of sines', 'sine rule'], broader: null },
      { names: ['x', 'unknown'], broader: null },
    ]);
    expect(one.of('the law of sines and x')).toEqual(['sine rule', 'unknown']);
    expect(one.of('a law')).toEqual(['rule']);
    expect(one.of('lawn, xy')).toEqual([]);
  });
});

test('the names that a text has are those of its groups, and not of what these are kinds of', () => {
  expect(synonyms.said('光荣革命的意义')).toEqual(['光荣革命']);
  expect(synonyms.said('the area of a circle，圆的面积')).toEqual(expect.arrayContaining(['圆的面积']));
  expect(synonyms.said('nothing of this')).toEqual([]);
});

describe('the kinds of what a text names as a whole', () => {
  const kinds = new Synonyms(phrases, [
    { names: ['shape', '图形'], broader: null },
    { names: ['polygon', '多边形'], broader: 'shape' },
    { names: ['circle', '圆形'], broader: 'shape' },
    { names: ['triangle', '三角形'], broader: 'polygon' },
  ]);

  test('are those of its group, of whatever depth, the nearest first', () => {
    const below = ['polygon', '多边形', 'circle', '圆形', 'triangle', '三角形'];
    expect(kinds.below('图形')).toEqual(below);
    expect(kinds.below('Shapes')).toEqual(below);
    expect(synonyms.below('行程问题')).toContain('相遇问题');
    expect(synonyms.below('行程问题')).not.toContain('工程问题');
  });

  test.each(['triangle', 'area of a shape', 'nothing', ''])('are none: %s', (text) => {
    expect(kinds.below(text)).toEqual([]);
  });
});
