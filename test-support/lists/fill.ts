import { foldCase } from '../../packages/domain/src/ports/index.ts';
import { query, withClient } from '../query.ts';
import {
  divisionIdOf,
  divisionsOf,
  ELSEWHERE,
  measuredSizes,
  type Place,
  type Population,
  placeOf,
  RARE,
  totalOf,
  uuidOf,
} from './members.ts';
import { copyTextRows, createSchema, type TextRow, USERS } from './tables.ts';

/** Returns a pseudorandom 32-bit number, the same for the same arguments. */
const scatter = (at: number, salt: number): number => {
  let mixed = Math.imul(at + 1, 0x9e37_79b1) ^ Math.imul(salt, 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b_3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a_2d39);
  return (mixed ^ (mixed >>> 15)) >>> 0;
};

/** Picks one of several texts, the same one for the same arguments. */
const pickScattered = (from: readonly string[], at: number, salt: number): string =>
  from[scatter(at, salt) % from.length] ?? '';

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

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const lastNameOf = (population: Population, place: Place, at: number): string => {
  const isMeasured = place.division < measuredSizes(population).length;
  const tenth = place.of / 10;
  const isElsewhere = isMeasured
    ? place.at % tenth === tenth / 2
    : population.layout === 'one' || scatter(at, 0) % 5 === 0;
  if (isElsewhere) return capital(ELSEWHERE);
  if (place.at % tenth === tenth / 4) return capital(RARE);
  if (scatter(at, 1) % 4 === 0) return pickScattered(LAST, at, 2);
  return capital(
    `${pickScattered(SYLLABLES, at, 3)}${pickScattered(SYLLABLES, at, 4)}${pickScattered(ENDINGS, at, 5)}`,
  );
};

const ascii = (text: string): string =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');

/** Returns the row of the division with a number. */
const divisionRowOf = (at: number): TextRow => {
  const name = `${capital(`${pickScattered(SYLLABLES, at, 20)}${pickScattered(ENDINGS, at, 21)}`)} ${at + 1}`;
  const logo = scatter(at, 22) % 3 === 0 ? `https://logo.example/${at}.svg` : null;
  return [divisionIdOf(at), name, foldCase(name), logo, logo];
};

const FIRST_DAY = Date.UTC(2015, 0, 1);
const day = (from: number, days: number): string => new Date(from + days * 86_400_000).toISOString().slice(0, 10);

/** A placeholder as long as a stored hash. */
const HASH = 'x'.repeat(128);

/** Returns the row of the member with a number. */
const memberRowOf = (population: Population, at: number): TextRow => {
  const place = placeOf(population, at);
  const firstName = pickScattered(FIRST, at, 6);
  const lastName = lastNameOf(population, place, at);
  const name = `${ascii(firstName) || 'x'}.${ascii(lastName) || 'x'}`;
  const username = `${scatter(at, 7) % 3 === 0 ? capital(name) : name}.${at}`;
  const email =
    scatter(at, 8) % 10 === 0
      ? null
      : `${name}.${at}@${pickScattered(['example.org', 'mail.example', 'post.example'], at, 9)}`;
  const birthdate = scatter(at, 10) % 5 === 0 ? null : day(Date.UTC(1940, 0, 1), scatter(at, 11) % 25_000);
  const groups = scatter(at, 12) % 200 === 0 ? '{Leader}' : scatter(at, 13) % 50 === 0 ? '{Guest,User}' : '{User}';
  const joined = new Date(FIRST_DAY + (place.at * 300_000_000_000) / place.of + (scatter(at, 14) % 86_400_000));
  return [
    // In order of creation, like UUIDs of version 7.
    uuidOf('90', at),
    username,
    foldCase(username),
    email,
    email && foldCase(email),
    firstName,
    foldCase(firstName),
    lastName,
    foldCase(lastName),
    divisionIdOf(place.division),
    groups,
    birthdate,
    String(scatter(at, 15) % 12 !== 0),
    String(scatter(at, 16) % 1000 === 0),
    String(place.at % (place.of / 10) === 7),
    joined.toISOString(),
    HASH,
  ];
};

const INDEXES = `select indexname as name, indexdef as definition from pg_indexes
  where schemaname = 'public' and tablename = 'user_account'
    and not exists (select from pg_constraint where conname = indexname)`;

/** Stores for each user that their last login was yesterday, and marks the rows as visible to all transactions. */
export const fillActivity = async (url: string): Promise<void> => {
  await query(url, 'insert into user_activity select id, current_date - 1 from user_account on conflict do nothing');
  await query(url, 'vacuum (analyze) user_activity');
};

/**
 * Fills an empty database with a population, after `migrate` has created the schema: by default, the current one. Without
 * vacuum, the tables are in the state after an import: with statistics, but no row is marked as visible to all transactions.
 */
export const fill = async (
  url: string,
  population: Population,
  { isVacuumed = true, migrate = createSchema } = {},
): Promise<void> => {
  await migrate(url);
  await withClient(url, async (client) => {
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(INDEXES);
    await client.query(`set maintenance_work_mem = '512MB'`);
    // Vacuum marks rows as visible to all transactions only once their commit is on disk.
    await client.query('set synchronous_commit = on');
    // Building an index from all rows is much faster than maintaining it row by row.
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    const divisions = 'division (id, name, name_key, logo, logo_key)';
    await copyTextRows(client, divisions, divisionsOf(population), divisionRowOf);
    await copyTextRows(client, USERS, totalOf(population), (at) => memberRowOf(population, at));
    for (const { definition } of indexes) await client.query(definition);
    await client.query(isVacuumed ? 'vacuum (analyze)' : 'analyze');
  });
};

/** How many members the databases of {@link fillLayout} have: enough that a plan that reads all of them is too expensive. */
export const FILLED_MEMBERS = 30_000;

/** Fills a database with all members in one division, or in many. Test databases with the same function copy one template. */
export const fillLayout = {
  one: (url: string) => fill(url, { layout: 'one', members: FILLED_MEMBERS }),
  many: (url: string) => fill(url, { layout: 'many', members: FILLED_MEMBERS }),
};
