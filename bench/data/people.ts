import { pick, scatter } from './scatter.ts';

/** How many there are. The first members of each division lead it, the next are its Guests. */
export interface Size {
  readonly divisions: number;
  /** Members of each of them. */
  readonly members: number;
  /** Members of one division more, whose pages are deep. */
  readonly deep: number;
}

/** A row of `user_account`, without what all rows have in common. */
export interface Person {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  readonly firstName: string;
  readonly lastName: string;
  readonly divisionId: string;
  readonly groups: string;
  readonly birthdate: string | null;
  readonly isActive: boolean;
  readonly dateJoined: string;
}

const FIRST = `Ada Björn Carla Dario Élise Farid Grace Hana Ines Jonas Kofi Łukasz Mara Noor Olga Pavel Quinn Rosa Søren
  Tara Uma Viktor Wanda Ximena Yusuf Zoë`.split(/\s+/);
const BEGINNINGS = `Al Bern Cas Del Ess Fal Gar Hol Iss Jan Kor Lind Mar Nor Ott Pal Quar Ros Sand Tor Ull Vas West
  Zim`.split(/\s+/);
const ENDS = `ander berg dale eiro feld grove hausen ing koff lund mann nova oso quist ström ton ura vik wald
  zick`.split(/\s+/);

const START = Date.UTC(2020, 0, 1);
const MINUTE = 60_000;

/** A UUID of version 7 that says when it was made; RFC 9562, section 5.7. */
const idAt = (milliseconds: number, at: number, kind: number): string => {
  const time = milliseconds.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${kind.toString(16).padStart(3, '0')}-8000-${at.toString(16).padStart(12, '0')}`;
};

/** The id of a division: 0 to `divisions` - 1, and `divisions` for the deep one. */
export const divisionIdOf = (division: number): string => idAt(START, division, 1);

/** The names of the divisions, by number. */
export const divisionNameOf = (division: number): string => `Chapter ${division + 1}`;

/** How many of its first members lead a division, and how many of the next are its Guests. */
export const staffOf = (size: Size, division: number): number =>
  division < size.divisions ? 1 : Math.min(20, Math.floor(size.deep / 4));

const unaccented = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll('ł', 'l')
    .replaceAll('Ł', 'L')
    .replaceAll('ø', 'o')
    .replace(/[^A-Za-z]/g, '');

const groupsOf = (size: Size, division: number, rank: number, at: number): string => {
  const staff = staffOf(size, division);
  if (rank < staff) return '{Leader}';
  if (rank < 2 * staff) return '{Guest}';
  return scatter(at, 7) % 8 === 0 ? '{Guest,User}' : '{User}';
};

/** The person with a number: members of all divisions in turn, and behind them those of the deep one. */
export const personOf = (size: Size, at: number): Person => {
  const many = size.divisions * size.members;
  const division = at < many ? at % size.divisions : size.divisions;
  const rank = at < many ? Math.floor(at / size.divisions) : at - many;
  const staff = rank < 2 * staffOf(size, division);
  // Most pages have a letter beyond Latin-1, with which the engine writes JSON more slowly: first pages have one as well.
  const firstName = rank === 0 ? 'Łukasz' : pick(FIRST, at, 1);
  const lastName = pick(BEGINNINGS, at, 2) + pick(ENDS, at, 3);
  const joined = START + (at + 1) * MINUTE;
  const username = `${unaccented(firstName)}.${unaccented(lastName)}.${at}`;
  const born = new Date(Date.UTC(1950 + (scatter(at, 4) % 55), scatter(at, 5) % 12, 1 + (scatter(at, 6) % 28)));
  return {
    id: idAt(joined, at, 2),
    username,
    email: scatter(at, 8) % 10 === 0 ? null : `${username}@example.org`,
    firstName,
    lastName,
    divisionId: divisionIdOf(division),
    groups: groupsOf(size, division, rank, at),
    birthdate: scatter(at, 9) % 5 === 0 ? null : born.toISOString().slice(0, 10),
    isActive: staff || scatter(at, 10) % 20 !== 0,
    dateJoined: new Date(joined).toISOString(),
  };
};

/** How many people there are in all. */
export const populationOf = ({ divisions, members, deep }: Size): number => divisions * members + deep;
