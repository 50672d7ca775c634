/**
 * In GB18030, which Node can only read: a header, a good row, one with the difficulty 9, one without a question. MARK
 * stands for what makes its cards different from those of another run.
 */
const BASE64 =
  'v6jGrLHgusUszOLEvyy07b3iLNGnv8YsxNG2yCzWqsq2teMstO3S8gpnYi1NQVJLLTEso6hNQVJLo6nBvbO1z+DP8rb40NCjrLy40KHKsbrzz+DT9qO/LLDRy9m2yM/gvPUsyv3RpywzLNDQs8zOysziLLmryr3O89PDCmdiLU1BUkstMiyjqE1BUkujqcTRtsiyu7bULCzK/dGnLDksLApnYi1NQVJLLTMsLMO709DM4sS/LMr90acsMiwsCg==';

export function gb18030File(mark: string): Buffer {
  const text = Buffer.from(BASE64, 'base64').toString('latin1').replaceAll('MARK', mark);
  return Buffer.from(text, 'latin1');
}
