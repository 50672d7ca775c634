export function Highlighted({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return <>{text}</>;
  const pattern = new RegExp(`(${words.map(escaped).join('|')})`, 'giu');
  return (
    <>
      {text.split(pattern).map((part, place) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
        place % 2 === 1 ? <mark key={place}>{part}</mark> : part,
      )}
    </>
  );
}

const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });

/**
 * The words of a query that are worth marking: Chinese words of two signs or more, others of three letters or more,
 * numbers with units.
 */
export function wordsOf(query: string): readonly string[] {
  // A formula's letters and commands would mark every x.
  const text = query.replace(/\$[^$]*\$|\\\w+/g, ' ');
  const words = [...segmenter.segment(text)]
    .filter(
      ({ isWordLike, segment }) =>
        isWordLike && (/\p{Script=Han}/u.test(segment) ? segment.length > 1 : segment.length > 2),
    )
    .map(({ segment }) => segment.toLowerCase());
  return [...new Set(words)].filter((word) => !COMMON.has(word)).slice(0, 40);
}

const COMMON = new Set(
  'the and for are was what how many does with that this from have has its which one two can not'.split(' '),
);
