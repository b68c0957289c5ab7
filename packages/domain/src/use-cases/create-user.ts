import type { DivisionId } from '../model/division.ts';
import { foldCase } from '../model/text.ts';
import { type Actor, authorOf, type Caller, isOperator, type User } from '../model/user.ts';
import { authorize, ownDivision } from '../policy/authorize.ts';
import { authorizeFields } from '../policy/fields.ts';
import { presentCaller } from '../writes/rules.ts';
import { countConflicts, hashRequestOf, type ReadInput, type SentCreation } from './steps/changes.ts';
import { checkNewUser } from './steps/check-new-user.ts';
import type { Ports } from './steps/ports.ts';
import { creationText, repeatCreation } from './steps/prior-creation.ts';

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
