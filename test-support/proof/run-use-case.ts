import {
  type Actor,
  DomainError,
  LIFETIME_SECONDS,
  listQuery,
  makeUseCases,
  snakeCase,
  type UseCases,
} from '../../packages/domain/src/index.ts';
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
import { describeOutcome, type ModelRequest, type Stored } from './outcome.ts';

const storeAll = async (world: InMemoryWorld, { divisions, users }: Stored): Promise<void> => {
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
  }
};

/** Returns the id of a user's only session. */
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

const call = async (useCases: UseCases, actor: Actor, request: ModelRequest, read: () => void): Promise<void> => {
  const { action, target, body = {} } = request;
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
    createUser: () => useCases.createUser(actor, input({ fields })),
    updateUser: () => useCases.updateUser(actor, id, input({ fields })),
    deleteUser: () => useCases.deleteUser(actor, id, input({})),
    listDivisions: () => useCases.listDivisions(actor, input(list('name'))),
    getDivision: () => useCases.getDivision(actor, id),
    updateDivision: () => useCases.updateDivision(actor, id, input({ fields: {} })),
    listDivisionUsers: () => useCases.listDivisionUsers(actor, id, input(list('username'))),
    listGroups: () => useCases.listGroups(actor),
    getInfo: () => useCases.getInfo(actor),
    listOwnSessions: () => useCases.listOwnSessions(actor),
    createPasswordLink: () => useCases.createPasswordLink(actor, id, read),
    endOwnSession: () => useCases.endOwnSession(actor, sessionOf(id), read),
  };
  const run = calls[action];
  if (!run) throw new Error(`there is no call for ${action}`);
  await run();
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
  await storeAll(world, stored);
  const newestEntry = async () => (await world.audit.list({ limit: 1 }))[0]?.id;
  let newest = await newestEntry();
  const changeUsers = async (): Promise<void> => {
    if (!later) return;
    await applyLaterState(world, later);
    newest = await newestEntry();
  };
  const useCases = makeUseCases({ ...world, ...beforeTransactions(world, changeUsers) });
  const id = request.caller ?? '';
  const caller = stored.users[id];
  if (!caller) throw new Error(`${id} is not stored`);
  const actor: Actor = { id, username: id, divisionId: caller.divisionId, ...rightsOf(caller) };
  let bodyWasRead = false;
  try {
    await call(useCases, actor, request, () => {
      bodyWasRead = true;
    });
    return { outcome: 'allowed', bodyWasRead, hasWritten: (await newestEntry()) !== newest };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const outcome = outcomeOfRefusal(error.code, error.faults);
    return { outcome, bodyWasRead, hasWritten: (await newestEntry()) !== newest };
  }
};
