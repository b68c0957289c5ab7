import type { DomainErrorCode } from '../../../../packages/domain/src/index.ts';
import type { CommandOf } from '../commands.ts';
import { isFieldForbidden, refusalOnUser } from './rights.ts';
import { endSessions, type Model, type ModelUser, meets, userState } from './state.ts';

/** The author and the request of a change. */
export interface By {
  readonly actorId: string;
  readonly requestId: string;
}

/** The author of what the operator changes. */
export const BY_OPERATOR = { actorId: null, requestId: null } as const;

/** The predicted result of a change: a refusal, or a function that applies it to the model. */
export type Predicted<T> = { readonly refusal: DomainErrorCode } | { readonly apply: () => T };

/** Returns whether a user is the only active Leader of their division. */
export const isLastLeader = ({ users }: Model, user: ModelUser): boolean => {
  const isLeader = (other: ModelUser) =>
    other.divisionId === user.divisionId && other.isActive && other.groups.includes('Leader');
  return isLeader(user) && [...users.values()].filter(isLeader).length === 1;
};

const same = (one: string | null, other: string | null): boolean =>
  one !== null && one.toLowerCase() === other?.toLowerCase();

/** Returns the conflict of a user's username or email with those of another user. */
export const takenCode = ({ users }: Model, { id, username, email }: ModelUser): DomainErrorCode | undefined => {
  const others = [...users.values()].filter((other) => other.id !== id);
  if (others.some((other) => same(other.username, username))) return 'username_taken';
  return others.some((other) => same(other.email, email)) ? 'email_taken' : undefined;
};

/** Returns changed fields with their new values as text, in alphabetical order. */
export const changesAsText = (changes: readonly (string | readonly [field: string, value: unknown])[]): string =>
  changes
    .map((change) => JSON.stringify(change))
    .toSorted()
    .join();

const AUDITED = ['username', 'email', 'firstName', 'groups', 'isActive', 'isStaff', 'isSuperuser'] as const;

/** Returns the changed fields with their new values as text; of a password, only that it changed. */
const changesOf = (before: ModelUser, after: ModelUser): string => {
  const changed = AUDITED.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]));
  const password = before.password === after.password && before.hash === after.hash ? [] : ['password'];
  return changesAsText([...changed.map((field) => [field, after[field]] as const), ...password]);
};

/** Applies a change of a user's fields. `hash` returns the hash that is stored for a new password. */
export const applyChange = (
  model: Model,
  { actorId, requestId }: By | typeof BY_OPERATOR,
  [before, after]: readonly [ModelUser, ModelUser],
  hash: (() => string) | undefined,
): ModelUser => {
  const written = hash ? { ...after, hash: hash() } : after;
  if (hash || !after.isActive) endSessions(model, after.id);
  const changes = changesOf(before, written);
  if (changes === '') return before;
  model.audit.push({ action: 'updateUser', authorId: actorId, targetId: before.id, requestId, changes });
  const user = { ...written, version: before.version + 1 };
  model.users.set(user.id, user);
  const hasOtherFlags = user.isStaff !== before.isStaff || user.isSuperuser !== before.isSuperuser;
  if (hasOtherFlags || user.hash !== before.hash) model.links.delete(user.id);
  return user;
};

/** Returns how the fields of an update are refused; undefined if they are accepted. */
export const refusalOfFields = (
  actor: ModelUser,
  target: ModelUser,
  { fields }: Pick<CommandOf<'updateUser'>, 'fields'>,
): DomainErrorCode | undefined => {
  if (isFieldForbidden(actor, target, fields)) return 'field_forbidden';
  const isOwnPassword = 'password' in fields && actor.id === target.id;
  return isOwnPassword && fields.currentPassword !== target.password ? 'validation_failed' : undefined;
};

/** Predicts the result of an update at this moment. `hash` returns the hash that is stored for a new password. */
export const predictUpdate = (
  model: Model,
  by: By,
  command: CommandOf<'updateUser'>,
  hash: () => string,
): Predicted<ModelUser> => {
  const [actor, before] = [model.users.get(by.actorId), model.users.get(command.target)];
  if (!before) return { refusal: 'not_found' };
  const denied = refusalOnUser(actor, 'updateUser', before) ?? (actor && refusalOfFields(actor, before, command));
  if (denied) return { refusal: denied };
  if (!meets(model, before.id, command.revisions, userState(model, before))) return { refusal: 'precondition_failed' };
  const { currentPassword: _, ...fields } = command.fields;
  const after = { ...before, ...fields };
  if (isLastLeader(model, before) && !(after.isActive && after.groups.includes('Leader'))) {
    return { refusal: 'last_leader' };
  }
  const conflict = takenCode(model, after);
  if (conflict) return { refusal: conflict };
  const newHash = fields.password === undefined ? undefined : hash;
  return { apply: () => applyChange(model, by, [before, after], newHash) };
};

/** Predicts the result of a deletion at this moment. */
export const predictDeletion = (
  model: Model,
  { actorId, requestId }: By,
  command: CommandOf<'deleteUser'>,
): Predicted<undefined> => {
  const before = model.users.get(command.target);
  if (!before) return { refusal: 'not_found' };
  const denied = refusalOnUser(model.users.get(actorId), 'deleteUser', before);
  if (denied) return { refusal: denied };
  if (!meets(model, before.id, command.revisions, userState(model, before))) return { refusal: 'precondition_failed' };
  if (isLastLeader(model, before)) return { refusal: 'last_leader' };
  return {
    apply: () => {
      model.users.delete(before.id);
      model.links.delete(before.id);
      endSessions(model, before.id);
      const changes = changesAsText([['username', null]]);
      model.audit.push({ action: 'deleteUser', authorId: actorId, targetId: before.id, requestId, changes });
      return undefined;
    },
  };
};
