import { plainFormulas } from '../text/latex.js';
import { normalise } from '../text/normalise.js';

/** Arrows of reactions without what stands above them. */
export function withoutConditions(text: string): string {
  return text.replace(/\\x\w*arrow(?:\[[^\]]*\])?\{[^{}]*\}/g, '=');
}

/** The zero of 一百〇五 and 二〇〇八; alone, as in 在〇里填数, it is a place to fill in. */
const ZERO = /(?<=[一二三四五六七八九百千万亿]〇?)〇/g;

/** In one notation, in lower case; intervals without an end as inequalities. */
export function plain(text: string): string {
  return plainFormulas(withoutConditions(normalise(text)))
    .toLowerCase()
    .replace(/[−–—]/g, '-')
    .replace(/[×·]/g, '*')
    .replace(/÷/g, '/')
    .replace(ZERO, '零')
    .replace(/(?<=\d)\u20e3(?=\d)/g, '')
    .replace(/[→⇌]|={2,}/g, '=')
    .replace(/ ?per ?cent(?![a-z])/g, '%')
    .replace(/(?<![\w.]|\* ?)10(?=\^-?\d)/g, '1*10')
    .replace(/[[(]([^,()[\]]{1,12}),\s*\+?\s*∞\s*\)/g, '>$1')
    .replace(/\(\s*-\s*∞\s*,([^,()[\]]{1,12})[\])]/g, '<$1')
    .replace(/\$/g, '');
}

/** {@link plain} without blanks, layout characters and the brackets of (√2)/2, for comparing. */
export function dense(text: string): string {
  return plain(text)
    .replace(/[\s，。、；！？,;!?"'“”‘’*_]+/g, '')
    .replace(/(?<![\w)√])\(([\d√]{1,12})\)(?=\/)/g, '$1');
}
