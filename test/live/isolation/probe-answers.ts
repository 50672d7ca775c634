/** What the probes of `graphql.test.ts` are answered. */

/** What tells nothing of any card that was not put there by its name. */
export const OF_NO_CARD = [
  'apiKeys(owner)',
  // Figures, and the ids of cards.
  'cardDifficulty',
  'evaluation',
  'evaluations',
  'goldenSet',
  'goldenSets',
  'classOverview(group)',
  'importJob',
  'indexStatus',
  // The only card that trains the same is a double.
  'practiceLadder(errorType)',
  'practiceLadder(fromCardId)',
  'practiceLadder(topicTag)',
  'practiceSettings(owner)',
  'reviewForecast',
  'reviewStatistics(owner)',
  'searchMetrics',
  'searchProfiles',
  'studentGroups',
  'viewer',
  'zeroResultSearches',
];
/** What a teacher or an admin is answered of their own cards alone. */
export const OF_ONES_OWN = ['attempts(cardId)', 'dueCards'];
/** Of the school, and so not for students. */
export const FOR_STAFF = [
  'classOverview(group)',
  'classOverview(owners)',
  'evaluation',
  'evaluations',
  'goldenSet',
  'goldenSets',
  'searchMetrics',
  'studentGroups',
  'zeroResultSearches',
];
/** Asked for by an id or a name that nobody has given to anything. */
const OF_NOTHING = ['classOverview(group)', 'evaluation', 'goldenSet', 'importJob'];

/** The codes with which one of the school is refused a probe; undefined if it is answered. */
export function refusalOf(person: 'amy' | 'tess' | 'ada', name: string): readonly string[] | undefined {
  if (person === 'amy' && FOR_STAFF.includes(name)) return ['FORBIDDEN'];
  if (person !== 'ada' && name === 'apiKeys(owner)') return ['FORBIDDEN'];
  // There is no log of searches here.
  if (name === 'zeroResultSearches') return ['BAD_USER_INPUT'];
  return OF_NOTHING.includes(name) ? ['NOT_FOUND'] : undefined;
}
