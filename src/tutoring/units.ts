/** A unit, by what it measures: km is 1,000 of the dimension `m`. */
export interface Unit {
  readonly dimension: string;
  readonly factor: number;
}

const SIGNS: Readonly<Record<string, number>> = { k: 1e3, d: 0.1, c: 0.01, m: 1e-3 };
const SYLLABLES: Readonly<Record<string, number>> = { kilo: 1e3, deci: 0.1, centi: 0.01, milli: 1e-3 };
const CHARACTERS: Readonly<Record<string, number>> = { 千: 1e3, 分: 0.1, 厘: 0.01, 毫: 1e-3 };

/** Signs, words and Chinese names of basic units. Lower case does not tell mW from MW, so these have kilo- only. */
const BASES: readonly (readonly [sign: string, word: string, chinese: string, prefixes: RegExp])[] = [
  ['m', 'metre', '米', /./],
  ['m', 'meter', '米', /./],
  ['g', 'gram', '克', /^(?:k|m$|milli|千|毫)/],
  ['l', 'litre', '升', /^(?:m$|milli|毫)/],
  ['l', 'liter', '升', /^(?:m$|milli|毫)/],
  ['w', 'watt', '瓦', /^[k千]/],
  ['j', 'joule', '焦', /^[k千]/],
  ['wh', 'watt hour', '瓦时', /^[k千]/],
  ['pa', 'pascal', '帕', /^[k千]/],
  ['v', 'volt', '伏', /^(?:[k千毫]|m$|milli)/],
  ['a', 'ampere', '安', /^(?:m$|milli|毫)/],
];

/** Other units, as the names of one. */
const OTHERS: readonly (readonly [names: string, dimension: string, factor: number])[] = [
  ['公里', 'm', 1e3],
  ['公斤', 'g', 1e3],
  ['吨,t,ton,tons,tonne,tonnes', 'g', 1e6],
  ['s,second,seconds,秒', 's', 1],
  ['min,minute,minutes,分钟', 's', 60],
  ['h,hour,hours,小时,个小时', 's', 3_600],
  ['公顷,ha,hectare,hectares', 'm^2', 1e4],
  ['m/s,米/秒,米每秒,metre per second,metres per second,meters per second', 'm/s', 1],
  ['km/h,千米/时,千米/小时,千米每小时,kilometres per hour,kilometers per hour', 'm/s', 1 / 3.6],
  ['元,yuan', '元', 1],
  ['角', '元', 0.1],
  ['dollar,dollars', 'dollar', 1],
  ['cent,cents', 'dollar', 0.01],
];

const UNITS: ReadonlyMap<string, Unit> = new Map([...basicUnits(), ...otherUnits()]);

function* basicUnits(): Generator<[string, Unit]> {
  for (const [sign, word, chinese, isPrefix] of BASES) {
    for (const [name, plural, prefixes] of [
      [sign, sign, SIGNS],
      [word, `${word}s`, SYLLABLES],
      [chinese, chinese, CHARACTERS],
    ] as const) {
      for (const [prefix, factor] of [['', 1] as const, ...Object.entries(prefixes)]) {
        if (prefix !== '' && !isPrefix.test(prefix)) continue;
        for (const one of [`${prefix}${name}`, `${prefix}${plural}`]) {
          yield [one, { dimension: sign, factor }];
          if (sign !== 'm') continue;
          const square = { dimension: 'm^2', factor: factor ** 2 };
          // Litres are cubic decimetres.
          const cubic = { dimension: 'l', factor: factor ** 3 * 1e3 };
          yield* [`${one}^2`, `平方${one}`, `square ${one}`].map((area): [string, Unit] => [area, square]);
          yield* [`${one}^3`, `立方${one}`, `cubic ${one}`].map((volume): [string, Unit] => [volume, cubic]);
        }
      }
    }
  }
}

function* otherUnits(): Generator<[string, Unit]> {
  for (const [names, dimension, factor] of OTHERS) {
    for (const name of names.split(',')) yield [name, { dimension, factor }];
  }
}

const UNIT = new RegExp(
  `^[^\\S\\n]?\\(?[^\\S\\n]?(${[...UNITS.keys()]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace('^', '\\^'))
    .join('|')})(?![a-z/^]| per )`,
);

/** Longer than any of them. */
const UNIT_CHARS = 30;

/** The unit that a text in plain notation has at its beginning, behind a number. */
export function unitAt(after: string): Unit | null {
  return UNITS.get(UNIT.exec(after.slice(0, UNIT_CHARS))?.[1] ?? '') ?? null;
}

/** What a number counts, by the character or the noun behind it. */
export function countedAt(after: string): string | null {
  const [, character, noun] = /^\s?\(?\s?(?:(\p{Script=Han})|([a-z]{3,}?)s?(?![a-z]))/u.exec(after) ?? [];
  return character ?? noun ?? null;
}
