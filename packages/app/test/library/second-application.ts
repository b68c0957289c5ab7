// An application of its own, which uses the packages without the HTTP API: it stores a division and a user, logs the
// user in, and lists the users of the division. test/published-packages.runtimes.test.ts compiles and runs it outside the
// workspace, with the URL of an empty database and the path of a key file.
import { connectPostgres } from '@chapter/adapters-postgres';
import {
  commonPasswords,
  ensureKeyFile,
  makeAccessTokens,
  makePublicAddress,
  makeScryptPasswords,
  openKeyFile,
  randomPersonalTokens,
  randomRefreshTokens,
  systemClock,
  uuidIds,
} from '@chapter/app';
import {
  isDomainError,
  LIFETIME_SECONDS,
  listQuery,
  makeAuthenticate,
  makeUseCases,
  OPERATOR,
  type Ports,
  type UserListField,
} from '@chapter/domain';

const [url = '', keysFile = ''] = process.argv.slice(2);
ensureKeyFile(keysFile);
const database = connectPostgres({ url, clock: systemClock, ids: uuidIds });
const ports: Ports = {
  ...database,
  hasher: makeScryptPasswords({ logN: 4, r: 8, p: 1 }),
  commonPasswords,
  passwordMinLength: 12,
  passwordPage: () => 'https://members.example.org/set-password',
  ids: uuidIds,
  clock: systemClock,
  accessTokens: makeAccessTokens(
    openKeyFile(keysFile),
    { issuer: 'second', audience: 'second', accessTtl: LIFETIME_SECONDS.accessToken },
    systemClock,
  ),
  refreshTokens: randomRefreshTokens,
  personalTokenFormat: randomPersonalTokens,
  refreshLifetime: LIFETIME_SECONDS.refreshToken,
  sessionLifetime: LIFETIME_SECONDS.session,
  publicAddress: makePublicAddress({ known: '192.0.2.1', lookUp: false }),
  loginLog: { write: () => {} },
};

const allUsers = listQuery<UserListField>({ order: ['username'], counted: true });

try {
  await database.migrations.up();
  const { createDivision, createUser, logIn, listUsers, getInfo } = makeUseCases(ports);
  const division = await createDivision(OPERATOR, () => ({ fields: { name: 'North' } }));
  const member = { username: 'ada', password: 'an uncommon password', groups: ['Leader'] };
  await createUser(OPERATOR, () => ({ fields: member }), division.id);

  const credentials = { username: member.username, network: '192.0.2.0' };
  const refused = await logIn({ ...credentials, password: 'a wrong password' }).catch((error: unknown) => error);
  const { accessToken } = await logIn({ ...credentials, password: member.password });
  const authenticate = makeAuthenticate({ ...ports, actors: database.actors });
  const caller = await authenticate(accessToken);
  const actor = await caller.readRights({ requestId: null, network: null }, 'listUsers');
  const page = await listUsers(actor, () => allUsers);
  const { username, divisionName } = await getInfo(actor);
  const found = { refused: isDomainError(refused) && refused.code, username, divisionName };
  console.log(JSON.stringify({ ...found, listed: page.items.map((user) => user.username), count: page.count }));
} finally {
  await database.close();
}
