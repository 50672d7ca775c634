/**
 * Words and signs without meaning for search. Deliberately excluded are words that negate a question (不, 没有, not, no,
 * except, least, most) and words of mathematics (多, 少, 比, 每, each, per, more, less).
 */

/** Particles, copulas, pronouns and general measure words. */
const CHINESE = `
的 了 是 在 和 与 或 及 也 就 都 而 且 但 则 若 把 被 将 对 从 到 由 于 以 为 因 所 其 之 者 着 过 得 地 吗 呢 吧 啊 么 呀
这 那 此 该 某 我 你 他 她 它 我们 你们 他们 这个 那个 这些 那些 什么 怎么 哪 哪个 哪些 有 个 请 可以 并 又 还 再 只 才 上 中 下 里 内`;

/** Articles, copulas, pronouns, prepositions and conjunctions. */
const ENGLISH = `
a an the and or but if then so as of at by for from in into on onto to with within about above than that this these those
is am are was were be been being do does did has have had having will would can could shall should may might must
i you he she it we they me him her us them my your his its our their who whom whose which what there here it's
also just very such both either let lets s t`;

/** Signs of nearly every formula. */
const SIGNS = "+ - = | ' ∴ ∵ … : ^";

const words = (list: string): readonly string[] => list.trim().split(/\s+/);

/** In lower case, before stemming. */
export const STOP_WORDS: ReadonlySet<string> = new Set([...words(CHINESE), ...words(ENGLISH)]);

export const STOP_SIGNS: ReadonlySet<string> = new Set(words(SIGNS));

/** Emoji and flags, except the signs of biology and arrows. */
const PICTOGRAPH = /(?![♀♂↔-⇿])\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}/u;

/** True for characters without meaning in a school question. */
export function isPictograph(sign: string): boolean {
  return PICTOGRAPH.test(sign);
}
