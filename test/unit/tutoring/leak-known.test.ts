import { testHints } from './hint-cases.js';

testHints([
  {
    question: '鸡兔同笼，共有 8 个头、22 只脚。鸡和兔各有几只？',
    attempt: '设全是兔，8×4=32，32-22=10，10÷2=5，所以兔 5 只，鸡 3 只。',
    reference: '设全是兔，8×4=32 只脚，多 32-22=10 只，每把一只兔换成鸡少 2 只脚，10÷2=5，所以鸡 5 只，兔 3 只。',
    leaks: [
      '10÷2=5 求出的其实是鸡，所以鸡有 5 只，兔有 3 只。',
      '你把两个数写反了：应该是鸡 5 只、兔 3 只。',
      '其实兔只有 3 只。',
      '鸡是 5 只，兔是 3 只，代回去验证一下。',
      '答案：鸡 5，兔 3。',
    ],
    useful: [
      '10÷2=5 算出来的是什么动物的只数？想想你假设的全是什么。',
      '你算出兔 5 只、鸡 3 只，代回去检查脚数对不对。',
      '先看看你的答案：兔 5 只有几只脚？鸡 3 只呢？加起来是 22 吗？',
      '设全是兔时，每换一只鸡，脚数少几只？',
      '3 只鸡有 6 只脚，5 只兔有 20 只脚，合起来对吗？',
    ],
  },
  {
    question: '甲、乙两数的和是 30，甲比乙多 4。甲、乙各是多少？',
    attempt: '(30+4)÷2=17，所以乙是 17，甲是 13。',
    reference: '(30+4)÷2=17 是较大的数，所以甲是 17，乙是 13。',
    leaks: ['较大的是甲，所以甲是 17。', '甲=17，乙=13。', '应该反过来：甲是 17，乙是 13。'],
    useful: [
      '(30+4)÷2=17 求出的是大数还是小数？',
      '题目说甲比乙多 4，你写的甲 13、乙 17 符合吗？',
      '加上 4 以后，两个数都和哪个数一样大？',
    ],
  },
  {
    question: 'There are 20 heads and 56 legs among chickens and rabbits. How many chickens and rabbits are there?',
    attempt: '12 rabbits and 8 chickens gives... so chickens 8, rabbits 12',
    reference:
      'If all were chickens there would be 40 legs. 56 − 40 = 16, 16 ÷ 2 = 8, so there are 8 rabbits and 12 chickens.',
    leaks: [
      'There are 8 rabbits and 12 chickens.',
      'You swapped them: 12 chickens, 8 rabbits.',
      '16 ÷ 2 gives the rabbits, so rabbits = 8.',
      'The number of chickens is 12.',
    ],
    useful: [
      'Check your answer: do 8 chickens and 12 rabbits have 56 legs?',
      'If every animal were a chicken, how many legs would there be?',
      'You wrote 12 rabbits. 12 rabbits alone have 48 legs.',
    ],
  },
  {
    question: '已知点 P(2,3)，它关于 x 轴的对称点坐标是什么？',
    attempt: '(-2,3)',
    reference: '关于 x 轴对称，横坐标不变，纵坐标变号，所以是 (2,-3)。',
    leaks: ['对称点是 (2,-3)。', '纵坐标变成 -3，所以是 (2,-3)。', 'P′(2，−3)'],
    useful: [
      'P(2,3) 的横坐标是 2，关于 x 轴对称时它变不变？',
      '点 P 的横坐标是 2，纵坐标是 3，哪一个变号？',
      '画出坐标系，把纸沿 x 轴对折。',
      '关于 x 轴对称的两个点，横坐标相同，纵坐标互为相反数。',
      'P(2,3) 的纵坐标为 3，想想它的相反数。',
    ],
  },
  {
    question: '|x-1|=3，求 x。',
    attempt: 'x=4',
    reference: 'x-1=3 或 x-1=-3，所以 x=4 或 x=-2。',
    leaks: ['还有一个 x=-2。', 'x=4 或 x=-2', '另一个解是 -2。', 'x-1=-3，x=-2'],
    useful: [
      '绝对值等于 3 的数有几个？',
      '你只考虑了 x-1=3，还有一种情况。',
      '在数轴上，到 1 的距离是 3 的点有两个。',
      'x=4 没错，但还漏了一个。',
    ],
  },
  {
    question: '物体在水平面上匀速运动，拉力 6 N，摩擦力多大？',
    attempt: '摩擦力小于 6 N',
    reference: '匀速运动时二力平衡，摩擦力等于拉力，为 6 N。',
    leaks: ['摩擦力等于 6 N。', '摩擦力是 6 N，因为二力平衡。', '摩擦力也是 6N'],
    useful: [
      '匀速直线运动时，合力是多少？',
      '拉力是 6 N，水平方向还有哪个力？',
      '两个平衡的力大小有什么关系？',
      '如果摩擦力小于拉力，物体会怎样运动？',
    ],
  },
  {
    question: '计算 1/6+2/6。',
    attempt: '1/6+2/6=3/6',
    reference: '1/6+2/6=3/6=1/2。',
    leaks: ['3/6=1/2', '结果是 1/2。'],
    useful: ['1/6+2/6=3/6，还能约分吗？', '3/6 还不是最简分数。', '把 3/6 约分。', 'simplify 3/6'],
  },
  {
    question: 'Solve the inequality $7-2x>1$',
    attempt: 'I divided and kept the sign.',
    reference: 'Dividing by a negative number turns the sign (3).',
    leaks: ['Dividing by a negative number turns the sign (3).'],
    useful: ['Dividing by a negative number turns the sign (1).'],
  },
]);
