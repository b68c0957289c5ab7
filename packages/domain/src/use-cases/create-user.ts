import { checkFields, refuseFaults, type SentRequest } from '../fields/field-check.ts';
import { checksFor, NEW_USER_DEFAULTS, USER_READ_ONLY, userChecks } from '../fields/user-fields.ts';
import type { DivisionId } from '../model/division.ts';
import { idempotencyConflict } from '../model/errors.ts';
import { foldCase } from '../model/text.ts';
import { type Actor, authorOf, type Caller, isOperator, type NewUser, type User } from '../model/user.ts';
import { authorize, ownDivision } from '../policy/authorize.ts';
import { authorizeFields } from '../policy/fields.ts';
import type { HashRequest } from '../ports/passwords.ts';
import type { PriorCreation } from '../ports/user-repository.ts';
import { presentCaller } from '../writes/rules.ts';
import { countConflicts, hashRequestOf, type ReadInput, type SentCreation, today } from './steps/changes.ts';
import { guessableFaults } from './steps/passwords.ts';
import type { Ports } from './steps/ports.ts';

type CreateUserPorts = Pick<
  Ports,
  | 'clock'
  | 'commonPasswords'
  | 'conflictLimits'
  | 'divisions'
  | 'hasher'
  | 'ids'
  | 'passwordMinLength'
  | 'usernames'
  | 'users'
>;

/**
 * Checks the fields of a new user and adds the defaults. Returns the password separately, because it is not hashed yet.
 * Only the operator may omit the password, which is empty then.
 *
 * @throws DomainError `validation_failed` with all faults.
 */
const checkNewUser = (
  { commonPasswords, clock, passwordMinLength }: CreateUserPorts,
  caller: Caller,
  { id, divisionId }: Pick<NewUser, 'id' | 'divisionId'>,
  sent: SentRequest,
): { readonly user: Omit<NewUser, 'passwordHash'>; readonly password: string } => {
  const checks = checksFor(isOperator(caller), userChecks({ today: () => today(clock), passwordMinLength }));
  const { values, faults } = checkFields(checks, sent, {
    readOnly: USER_READ_ONLY,
    required: isOperator(caller) ? ['username'] : ['username', 'password'],
  });
  const { division: _, username = '', password = '', ...optional } = values;
  refuseFaults([...faults, ...guessableFaults(values.password, commonPasswords, [username, values.email])]);
  return {
    password,
    user: { ...NEW_USER_DEFAULTS, ...optional, id, username, divisionId, dateJoined: clock.now() },
  };
};

/**
 * Returns the canonical text of a creation, which identifies a repeated request with the same idempotency key. It contains
 * all values except the id, the date of joining and the password. Release 0.1.0 stored texts in this order of fields.
 */
const creationText = (user: Omit<NewUser, 'passwordHash'>): string => {
  const { id: _, dateJoined: __, email, firstName, lastName, birthdate, groups, isActive, ...others } = user;
  const { username, divisionId, isStaff, isSuperuser, ...later } = others;
  const defaulted = { email, firstName, lastName, birthdate, groups, isActive };
  return JSON.stringify({ ...defaulted, username, divisionId, isStaff, isSuperuser, ...later });
};

/**
 * Returns the user that an earlier creation with the same idempotency key created, if the request is the same.
 *
 * @throws DomainError `idempotency_conflict` if it is not; `unavailable`.
 */
const repeatCreation = async (
  { hasher }: Pick<Ports, 'hasher'>,
  prior: PriorCreation,
  { text, password }: { readonly text: string | undefined; readonly password: string },
  request: HashRequest,
): Promise<User> => {
  const { passwordHash } = prior;
  // After a change of the password, do not compare it: the result would tell the caller whether a guess is right.
  const isSamePassword = async () =>
    passwordHash === null || hasher.verify(password, passwordHash, { ...request, isCoalesced: true });
  if (prior.request !== text || !(await isSamePassword())) throw idempotencyConflict();
  return prior.user;
};

/**
 * Creates a user in the caller's division, or for the operator in the named one. A repeated request with the same idempotency
 * key and body creates nothing and returns the first result again. The names and the key are looked up before the password is
 * hashed, because a hash costs more than all else. Only the operator may omit the password; the user then cannot log in.
 *
 * @throws DomainError like `authorize`; `field_forbidden`, `validation_failed`, `username_taken`, `email_taken`,
 *   `idempotency_conflict`, `rate_limited`, `unavailable`.
 */
export const makeCreateUser =
  (ports: CreateUserPorts) =>
  async (caller: Caller, readInput: ReadInput<SentCreation>, named: DivisionId = ''): Promise<User> => {
    const divisionId = isOperator(caller) ? named : ownDivision(caller, 'createUser');
    if (isOperator(caller)) authorize(caller, 'createUser', (await ports.divisions.find(named)) && { divisionId });
    const sent = await readInput();
    const target = { id: ports.ids.next(), divisionId, isStaff: false, isSuperuser: false };
    authorizeFields(caller, target, sent.fields);
    const { user, password } = checkNewUser(ports, caller, target, sent);
    const { idempotencyKey: key } = sent;
    const idempotency = key === undefined ? undefined : { key, request: creationText(user) };
    const author = authorOf(caller);
    const request = hashRequestOf(caller);
    const permit = (actor: Actor | null) => authorize(presentCaller(caller, actor), 'createUser', { divisionId });
    ports.hasher.requireCapacity(request.share);
    const create = async () => {
      const prior = await ports.users.checkCreation(author, user, permit, idempotency);
      if (prior) return { prior, request };
      const passwordHash = password === '' ? null : await ports.hasher.hash(password, request);
      const created = await ports.users.create(author, { ...user, passwordHash }, permit, idempotency);
      return { ...created, request: { ...request, isContinuation: true } };
    };
    const created = await countConflicts(ports.conflictLimits, caller, () =>
      ports.usernames.run([foldCase(user.username)], create, request),
    );
    if ('user' in created) return created.user;
    return repeatCreation(ports, created.prior, { text: idempotency?.request, password }, created.request);
  };
