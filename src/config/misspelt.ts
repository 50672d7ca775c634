import { fields } from './fields.js';

/** Shorter names, `PORT` and `HOST`, resemble those that other programs read. */
const MIN_LETTERS = 6;

type Name = keyof typeof fields.shape;

const NAMES = (Object.keys(fields.shape) as Name[]).filter((name) => name.length >= MIN_LETTERS);

/**
 * Messages for variables that are no settings but resemble one that is not set: a letter missing, added, wrong or
 * swapped, small letters, or the prefix `ERRATA_` of docker-compose.yml. They are not refused, because another program
 * may read them; without the prefix they are reported only if the setting could have their value, which the key in
 * another program's `API_KEY` is not.
 */
export function misspeltIn(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  return Object.keys(env).flatMap((name) => {
    if (name in fields.shape || !isSet(name)) return [];
    const whole = name.toUpperCase();
    const word = whole.replace(/^ERRATA_/, '');
    const mayBe = (one: Name): boolean => word !== whole || fields.shape[one].safeParse(env[name]).success;
    const meant = NAMES.find((one) => !isSet(one) && (one === word || isOneEdit(one, word)) && mayBe(one));
    return meant === undefined ? [] : [`${name} is not a setting, and has no effect: is ${meant} meant?`];
  });
}

/** Whether two different words differ by one letter that is missing, added or wrong, or by two that are swapped. */
function isOneEdit(a: string, b: string): boolean {
  let same = 0;
  while (a[same] === b[same]) same += 1;
  const [x, y] = [a.slice(same), b.slice(same)];
  const isSwapped = x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2);
  return isSwapped || x.slice(1) === y || x === y.slice(1) || x.slice(1) === y.slice(1);
}
