import {
  type Actor,
  type Caller,
  DomainError,
  LIFETIME_SECONDS,
  listQuery,
  makeAuthenticate,
  makeUseCases,
  OPERATOR,
  snakeCase,
  type UseCases,
  userAudit,
} from '../../packages/domain/src/api/index.ts';
import {
  aDivision,
  aUser,
  fakeHash,
  type InMemoryWorld,
  makeWorld,
  storeDivision,
  storeUser,
} from '../../packages/domain/src/testing/index.ts';
import { PASSWORD } from './bodies.ts';
import { applyLaterState, beforeTransactions, type LaterState, rightsOf } from './later-state.ts';
import { BY_OPERATOR, describeOutcome, type ModelRequest, type Stored } from './outcome.ts';
import { OTHER, OWN } from './states.ts';

const storeAll = async (world: InMemoryWorld, { divisions, users }: Stored, hasTokens: boolean): Promise<void> => {
  for (const id of divisions) await storeDivision(world, aDivision().with({ id, name: id }));
  for (const [id, user] of Object.entries(users)) {
    const division = { id: user.divisionId ?? '', name: user.divisionId ?? '' };
    await storeUser(
      world,
      aUser()
        .of(division)
        .with({ id, username: id, ...rightsOf(user) }),
      fakeHash(PASSWORD),
    );
    const lifetimes = { lifetime: LIFETIME_SECONDS.refreshToken, sessionLifetime: LIFETIME_SECONDS.session };
    const session = { id: sessionOf(id), userId: id, digest: sessionOf(id), userAgent: null, ...lifetimes };
    await world.sessions.start(session, fakeHash(PASSWORD));
    if (hasTokens) await issueToken(world, id, { id: sessionOf(id) });
  }
};

/** The fields of a personal access token that a request creates. */
const NEW_TOKEN = { name: 'script', expiresAt: '2026-12-31T00:00:00.000Z' };

/** Stores a personal access token of a user, without any rule, and returns the secret. */
const issueToken = async (
  { ids, personalTokenFormat, personalTokens }: InMemoryWorld,
  userId: string,
  { id = ids.next(), isReadOnly = false },
): Promise<string> => {
  const { digest, token } = personalTokenFormat.issue();
  const stored = { id, userId, name: NEW_TOKEN.name, digest, isReadOnly, expiresAt: NEW_TOKEN.expiresAt };
  await personalTokens.create(OPERATOR, stored, ({ user }) => userAudit('createAccessToken', user));
  return token;
};

/** Returns the id of the only session or personal access token of a user. */
const sessionOf = (userId: string): string => userId.replace('-8000-', '-9000-');

const toCamelCase = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Returns a refusal in the form of the model. A refusal that does not depend on rights stays unchanged and never matches. */
export const outcomeOfRefusal = (
  code: string,
  faults: readonly { readonly field: string; readonly code: string }[],
) => {
  const wire = faults.map(({ field, code }) => ({ field: snakeCase(field), code }));
  if (code === 'invalid_token' || code === 'authentication_required') return 'unauthenticated';
  return describeOutcome(
    code,
    wire.map(({ field, code: fault }) => (code === 'field_forbidden' ? field : `${field} ${fault}`)),
  );
};

const list = <Field extends string>(field: Field) => listQuery<Field>({ order: [field] });

const call = async (
  useCases: UseCases,
  caller: Caller,
  { request, stored }: { readonly request: ModelRequest; readonly stored: Stored },
  read: () => void,
): Promise<void> => {
  const { action, target, body = {}, force } = request;
  // The types do not let the operator call a use case of users.
  const actor = caller as Actor;
  const id = target ?? '';
  const fields = Object.fromEntries(Object.entries(body).map(([name, value]) => [toCamelCase(name), value]));
  const input =
    <T>(value: T) =>
    () => {
      read();
      return value;
    };
  const calls: Readonly<Record<string, () => unknown>> = {
    listUsers: () => useCases.listUsers(actor, input(list('username'))),
    getUser: () => useCases.getUser(actor, id),
    createUser: () => useCases.createUser(caller, input({ fields }), id),
    updateUser: () => useCases.updateUser(caller, id, input({ fields, force })),
    deleteUser: () => useCases.deleteUser(caller, id, input({ force })),
    listDivisions: () => useCases.listDivisions(actor, input(list('name'))),
    getDivision: () => useCases.getDivision(actor, id),
    updateDivision: () => useCases.updateDivision(caller, id, input({ fields: {} })),
    listDivisionUsers: () => useCases.listDivisionUsers(actor, id, input(list('username'))),
    getDivisionStatistics: () => useCases.getDivisionStatistics(actor, id, input(90)),
    listChanges: () => useCases.listChanges(actor, input({ side: 'after', position: '', size: 1 })),
    listGroups: () => useCases.listGroups(actor),
    getInfo: () => useCases.getInfo(actor),
    getOwnUser: () => useCases.getOwnUser(actor),
    getPermissions: () => useCases.getPermissions(actor, null),
    listOwnSessions: () => useCases.listOwnSessions(actor),
    createPasswordLink: () => useCases.createPasswordLink(caller, id, read),
    moveUser: () => useCases.moveUser(caller, id, stored.users[id]?.divisionId === OTHER ? OWN : OTHER, { force }),
    endSessions: () => useCases.endSessions(caller, { userId: id }),
    unlockUser: () => useCases.unlockUser(caller, id),
    exportUserData: () => useCases.exportUserData(caller, id),
    eraseUser: () => useCases.eraseUser(caller, id, { force }),
    createDivision: () => useCases.createDivision(caller, input({ fields: { name: 'new' } })),
    deleteDivision: () => useCases.deleteDivision(caller, id),
    listUsersWhoCan: () => useCases.listUsersWhoCan(caller, 'getInfo', {}, async () => {}),
    pruneAudit: () => useCases.pruneAudit(caller, '2020-01-01T00:00:00.000Z'),
    endOwnSession: () => useCases.endOwnSession(actor, sessionOf(id), read),
    createAccessToken: () => useCases.createAccessToken(caller, id, input({ fields: NEW_TOKEN })),
    listAccessTokens: () => useCases.listAccessTokens(caller, id),
    endAccessToken: () => useCases.endAccessToken(caller, actor.id ?? id, sessionOf(id), read),
  };
  const run = calls[action];
  if (!run) throw new Error(`there is no call for ${action}`);
  await run();
};

const callerOf = ({ users }: Stored, id: string): Caller => {
  if (id === BY_OPERATOR) return OPERATOR;
  const user = users[id];
  if (!user) throw new Error(`${id} is not stored`);
  return { id, username: id, divisionId: user.divisionId, ...rightsOf(user) };
};

/**
 * Stores the personal access token of a request, if it has one. Returns a function that returns the caller, authenticated by the
 * token like in the service.
 */
const prepareCaller = async (
  world: InMemoryWorld,
  stored: Stored,
  request: ModelRequest,
): Promise<() => Promise<Caller>> => {
  const { action, caller, credential = 'session' } = request;
  if (credential === 'session') return async () => callerOf(stored, caller ?? '');
  const token = await issueToken(world, caller ?? '', { isReadOnly: credential === 'read-only token' });
  return async () => (await makeAuthenticate(world)(token)).readRights({ requestId: null, network: null }, action);
};

/**
 * Returns the outcome of a request by the use cases on the in-memory adapters. With `later`, the users named in `changed`
 * change between the first authorization and the transaction. `bodyWasRead` is true if the use case read any input beyond
 * the target, `hasWritten` if it recorded a change.
 */
export const runUseCase = async (
  stored: Stored,
  request: ModelRequest,
  later?: LaterState,
): Promise<{ readonly outcome: string; readonly bodyWasRead: boolean; readonly hasWritten: boolean }> => {
  const world = makeWorld();
  await storeAll(world, stored, request.action === 'endAccessToken');
  const readCaller = await prepareCaller(world, stored, request);
  const newestEntry = async () => (await world.audit.list({ limit: 1 }))[0]?.id;
  let newest = await newestEntry();
  const changeUsers = async (): Promise<void> => {
    if (!later) return;
    await applyLaterState(world, later);
    newest = await newestEntry();
  };
  const useCases = makeUseCases({ ...world, ...beforeTransactions(world, changeUsers) });
  let bodyWasRead = false;
  try {
    await call(useCases, await readCaller(), { request, stored }, () => {
      bodyWasRead = true;
    });
    return { outcome: 'allowed', bodyWasRead, hasWritten: (await newestEntry()) !== newest };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const outcome = outcomeOfRefusal(error.code, error.faults);
    return { outcome, bodyWasRead, hasWritten: (await newestEntry()) !== newest };
  }
};
