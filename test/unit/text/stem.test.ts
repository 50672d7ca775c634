import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stem } from '../../../src/text/stem.js';
import { runs } from '../../support/runs.js';

/** Words and stems as the Snowball project publishes them, and the words of school mathematics. */
const VOCABULARY = `
consign consign  consigned consign  consigning consign  consignment consign  consist consist  consistency consist
consistently consist  consolation consol  consolations consol  consolatory consolatori  console consol  consolidate consolid
consolingly consol  consonant conson  conspicuous conspicu  conspiracy conspiraci  conspirator conspir  constables constabl
constancy constanc  constant constant  knack knack  knackeries knackeri  knaves knave  knavish knavish  kneaded knead
knees knee  knelt knelt  knight knight  knits knit  knives knive  knocked knock  knocker knocker  knots knot
caresses caress  ponies poni  ties tie  cries cri  cats cat  gas gas  this this  gaps gap  kiwis kiwi  feed feed
agreed agre  plastered plaster  bled bled  motoring motor  sing sing  conflated conflat  troubled troubl  sized size
hopping hop  tanned tan  falling fall  hissing hiss  fizzed fizz  failing fail  filing file  hoping hope  happy happi
sky sky  skies sky  dying die  news news  inning inning  exceed exceed  early earli  generate generat  general general
communism communism  community communiti  arsenic arsenic  relational relat  conditional condit  rational ration
digitizer digit  conformably conform  radically radic  differently differ  vilely vile  analogously analog
operator oper  feudalism feudal  decisiveness decis  hopefulness hope  formality formal  sensitivity sensit
sensibility sensibl  triplicate triplic  formative format  formalize formal  electricity electr  electrical electr
goodness good  revival reviv  allowance allow  inference infer  airliner airlin  adjustable adjust  defensible defens
irritant irrit  replacement replac  adjustment adjust  dependent depend  adoption adopt  effective effect  bowdlerize bowdler
probate probat  rate rate  cease ceas  control control  rolling roll  apology apolog  youth youth  boy boy  by by  say say
equation equat  equations equat  solving solv  solved solv  solves solv  fractions fraction  multiplying multipli
multiplied multipli  divided divid  divisible divis  triangles triangl  numbers number  squares squar  squared squar
lens lens  lenses lens  axis axi  axes axi  vertex vertex  vertices vertex  radii radius  children child
add add  adds add  added add  adding add  odd odd  odds odd  erring err
divide divid  division divid  multiply multipli  multiplication multipli  factorise factor  factorisation factor
centre center  centimetre centimet  geometric geometri  forgot forget  solution solut  converse convers
student's student  students' student  don't don't  ate ate  is is  a a`;

describe('stem', () => {
  const pairs = VOCABULARY.trim()
    .split(/\s{2,}|\n/)
    .map((pair) => pair.split(' '));

  test.each(pairs)('%s becomes %s', (word, expected) => {
    expect(stem(word ?? '')).toBe(expected);
  });

  test.each(['x1', 'café', '面积', 'ABC', 'a'.repeat(100)])('%s is no English word in lower case and stays', (word) => {
    expect(stem(word)).toBe(word);
  });

  test('a stem is never empty, and never longer than its word by more than one letter', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: 1, maxLength: 45 });
    fc.assert(
      fc.property(word, (text) => {
        const stemmed = stem(text);
        expect(stemmed).not.toBe('');
        expect(stemmed.length).toBeLessThanOrEqual(text.length + 1);
      }),
      { numRuns: runs(1000) },
    );
  });
});
