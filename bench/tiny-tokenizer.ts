/** Writes the files of a WordPiece tokenizer for transformers.js, with a given vocabulary. */

/** Special tokens come first, in this order, as in BERT. */
export const SPECIAL_TOKENS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'] as const;

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
const SIGNS = [...'+-*/=<>()[]{}.,:;?!$%^_\\\'"|&#~。，？！、：；（）'];

/**
 * The tokens of a model: special ones, every letter and digit, signs, then `words` (lower case; Chinese by characters).
 */
export function vocabularyOf(words: readonly string[]): readonly string[] {
  return [...new Set([...SPECIAL_TOKENS, ...LETTERS, ...LETTERS.map((letter) => `##${letter}`), ...SIGNS, ...words])];
}

/** The contents of tokenizer.json and tokenizer_config.json. */
export function tokenizerFiles(
  vocabulary: readonly string[],
  maxTokens: number,
): Readonly<Record<'tokenizer.json' | 'tokenizer_config.json', string>> {
  const token = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const second = (id: string) => ({ SpecialToken: { id, type_id: 1 } });
  const special = Object.fromEntries(
    ['[CLS]', '[SEP]'].map((name) => [name, { id: name, ids: [vocabulary.indexOf(name)], tokens: [name] }]),
  );
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL_TOKENS.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [token('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, token('[SEP]')],
      pair: [
        token('[CLS]'),
        { Sequence: { id: 'A', type_id: 0 } },
        token('[SEP]'),
        { Sequence: { id: 'B', type_id: 1 } },
        second('[SEP]'),
      ],
      special_tokens: special,
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
    },
  };
  const config = {
    tokenizer_class: 'BertTokenizer',
    model_max_length: maxTokens,
    do_lower_case: true,
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    mask_token: '[MASK]',
  };
  return { 'tokenizer.json': JSON.stringify(tokenizer), 'tokenizer_config.json': JSON.stringify(config) };
}
