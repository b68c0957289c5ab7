import { type Actor, authorOf, type User } from '../model/user.ts';
import { authorize, authorizeFields, ownDivision } from '../policy/authorize.ts';
import type { ConflictLimits } from '../ports/conflict-limits.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import { countConflicts, type ReadInput, type SentCreation } from './steps/changes.ts';
import { checkNewUser, type NewUserPorts } from './steps/check-new-user.ts';
import { creationText, repeatCreation } from './steps/prior-creation.ts';

/** Ports of the creation of a user by a Leader. */
interface CreateUserPorts extends NewUserPorts {
  readonly users: UserRepository;
  readonly conflictLimits: ConflictLimits;
}

/**
 * Creates a user in the caller's division. A repeated request with the same idempotency key and body creates nothing and
 * returns the first result again.
 *
 * @throws DomainError like `authorize`; `field_forbidden`, `validation_failed`, `username_taken`, `email_taken`,
 *   `idempotency_conflict`, `rate_limited`, `unavailable`.
 */
export const makeCreateUser =
  (ports: CreateUserPorts) =>
  async (actor: Actor, readInput: ReadInput<SentCreation>): Promise<User> => {
    const divisionId = ownDivision(actor, 'createUser');
    const { fields, faults = [], idempotencyKey: key } = await readInput();
    const target = { id: ports.ids.next(), divisionId, isStaff: false, isSuperuser: false };
    authorizeFields(actor, target, fields);
    const { user, password } = checkNewUser(ports, target, fields, faults);
    const idempotency = key === undefined ? undefined : { key, request: creationText(user) };
    const request = { isAbandoned: actor.origin?.isAbandoned };
    const hashed = { ...user, passwordHash: await ports.hasher.hash(password, request) };
    const permit = (present: Actor | null) => authorize(present, 'createUser', { divisionId });
    const created = await countConflicts(ports.conflictLimits, actor, () =>
      ports.users.create(authorOf(actor), hashed, permit, idempotency),
    );
    if ('user' in created) return created.user;
    const repeated = { text: idempotency?.request, password };
    return repeatCreation(ports, created.prior, repeated, { ...request, isContinuation: true });
  };
