import { foldCase } from '../../packages/domain/src/index.ts';
import { pick, scatter } from '../data/scatter.ts';
import type { Row } from '../data/tables.ts';

/** How members are spread: in one division, or a hundred in each of many. */
export type Way = 'one' | 'many';

/** So many members, spread in a way. Where they are in one division, there are others with a tenth as many more. */
export interface Population {
  readonly way: Way;
  readonly members: number;
}

const FIRST =
  `Anna Ben Chloé Daniel Émile Fatima Georg Hannah Ingrid Jan Kateřina Lars María Nils Olga Paul Quentin Renée
  Sofía Tomáš Ursula Viktor Wanda Xenia Yusuf Zoë Åsa Øyvind Łukasz Ştefan İpek Ρένα Ольга Иван 静香 さくら`.split(
    /\s+/,
  );

const LAST = `Müller Schmidt Novák García Nowak Jensen Rossi Dubois Silva Kowalski Andersson Nagy Popescu Yılmaz
  O'Brien Papadopoulos Иванова Петров 田中 佐藤 Ångström Şahin Łuczak Öztürk Nguyễn`.split(/\s+/);

const ENDINGS = 'a ova ini ski sen son mann berg feld stein bach dahl gaard etti ez escu oğlu akis enko'.split(' ');
const SYLLABLES =
  'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo ze bra cle dri flo gru kla pri sta tre'.split(' ');

/** A word in the names of ten members, however many there are. Its last two letters stand together in no other text. */
export const RARE = 'quetzalj';
/** A word that is frequent in the service, and in the names of ten members at most of the measured division. */
export const ELSEWHERE = 'vandermeer';

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** The division that is measured. */
const MEASURED = 0;

const MEMBERS_OF_MANY = 100;

const divisionOf = ({ way, members }: Population, at: number): number => {
  if (way === 'many') return at % (members / MEMBERS_OF_MANY);
  return at < members ? MEASURED : MEASURED + 1 + (at % (members / 10 / MEMBERS_OF_MANY));
};

const lastNameOf = (population: Population, at: number): string => {
  const isMeasured = divisionOf(population, at) === MEASURED;
  const tenth = population.members / 10;
  const isElsewhere = isMeasured ? at % tenth === tenth / 2 : population.way === 'one' || scatter(at, 0) % 5 === 0;
  if (isElsewhere) return capital(ELSEWHERE);
  if (at % tenth === tenth / 4) return capital(RARE);
  if (scatter(at, 1) % 4 === 0) return pick(LAST, at, 2);
  return capital(`${pick(SYLLABLES, at, 3)}${pick(SYLLABLES, at, 4)}${pick(ENDINGS, at, 5)}`);
};

const ascii = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');

const uuid = (kind: string, at: number): string => `01${kind}0000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`;

/** How many members there are in all. */
export const totalOf = ({ way, members }: Population): number => (way === 'one' ? members + members / 10 : members);

/** How many divisions there are. */
export const divisionsOf = ({ way, members }: Population): number =>
  way === 'one' ? 1 + members / 10 / MEMBERS_OF_MANY : members / MEMBERS_OF_MANY;

/** The id of a division by its number. */
const divisionIdOf = (at: number): string => uuid('8d', at);

/** The id of the division that is measured. */
export const MEASURED_ID = divisionIdOf(MEASURED);

/** A row of the table of divisions, by the number of the division. */
export const divisionRowOf = (at: number): Row => {
  const name = `${capital(`${pick(SYLLABLES, at, 20)}${pick(ENDINGS, at, 21)}`)} ${at + 1}`;
  const logo = scatter(at, 22) % 3 === 0 ? `https://logo.example/${at}.svg` : null;
  return [divisionIdOf(at), name, foldCase(name), logo, logo];
};

const FIRST_DAY = Date.UTC(2015, 0, 1);
const day = (from: number, days: number): string => new Date(from + days * 86_400_000).toISOString().slice(0, 10);

/** As long as what scrypt gives. */
const HASH = 'x'.repeat(128);

/** A row of the table of users, by the number of the member. */
export const memberRowOf = (population: Population, at: number): Row => {
  const firstName = pick(FIRST, at, 6);
  const lastName = lastNameOf(population, at);
  const name = `${ascii(firstName) || 'x'}.${ascii(lastName) || 'x'}`;
  const username = `${scatter(at, 7) % 3 === 0 ? capital(name) : name}.${at}`;
  const email =
    scatter(at, 8) % 10 === 0 ? null : `${name}.${at}@${pick(['example.org', 'mail.example', 'post.example'], at, 9)}`;
  const birthdate = scatter(at, 10) % 5 === 0 ? null : day(Date.UTC(1940, 0, 1), scatter(at, 11) % 25_000);
  const groups = scatter(at, 12) % 200 === 0 ? '{Leader}' : scatter(at, 13) % 50 === 0 ? '{Guest,User}' : '{User}';
  const joined = new Date(FIRST_DAY + (at * 300_000_000_000) / population.members + (scatter(at, 14) % 86_400_000));
  return [
    // In the order in which they were made, as UUIDs of version 7 are.
    uuid('90', at),
    username,
    foldCase(username),
    email,
    email && foldCase(email),
    firstName,
    foldCase(firstName),
    lastName,
    foldCase(lastName),
    divisionIdOf(divisionOf(population, at)),
    groups,
    birthdate,
    String(scatter(at, 15) % 12 !== 0),
    String(scatter(at, 16) % 1000 === 0),
    String(at % (population.members / 10) === 7),
    joined.toISOString(),
    HASH,
  ];
};
