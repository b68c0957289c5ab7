import { USER_FIELDS } from '../fields/user-fields.ts';
import { type AuditEntry, withoutValues } from '../model/audit-entry.ts';
import { notFound } from '../model/errors.ts';
import { pick } from '../model/pick.ts';
import { authorOf, type Caller, type Instant, type User, type UserId } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import { asPerson } from '../policy/targets.ts';
import type { ErasedData, StoredData } from '../ports/personal-data.ts';
import { type Forceable, requireErasable } from '../writes/user-writes.ts';
import type { Ports } from './steps/ports.ts';

const userData = (user: User) => pick(user, USER_FIELDS);

const personData = (id: UserId | null, self: UserId): 'self' | 'operator' | 'another user' => {
  if (id === null) return 'operator';
  return id === self ? 'self' : 'another user';
};

/** Returns an audit entry without names, ids and values of other users. */
const entryData = (
  { action, at, authorId, changes, divisionId, requestId, targetId, targetType }: AuditEntry,
  self: UserId,
) => {
  const by = personData(authorId, self);
  const target = targetType === 'user' ? personData(targetId, self) : targetType;
  return {
    at,
    action,
    by,
    target,
    divisionId,
    requestId: by === 'self' ? requestId : null,
    changes: target === 'another user' ? withoutValues(changes) : changes,
  };
};

const linkData = ({ audit, linkExpiresAt: expiresAt }: StoredData, self: UserId) => {
  if (expiresAt === null) return null;
  const created = audit.findLast(({ action, targetId }) => action === 'createPasswordLink' && targetId === self);
  return { createdAt: created?.at ?? null, expiresAt };
};

/**
 * Returns all that is stored about a present or deleted user, for them: no hashes, tokens, or values of other users.
 *
 * @throws DomainError like {@link authorize}; `not_found` if nothing is stored about such a user.
 */
export const makeExportUserData =
  ({ personalData, users }: Pick<Ports, 'personalData' | 'users'>) =>
  async (caller: Caller, id: UserId) => {
    authorize(caller, 'exportUserData', asPerson(id, await users.find(id)));
    const found = await personalData.find(id);
    if (!found) throw notFound();
    const { audit, counters, hasPassword, keys, lastActiveOn, responses, sessions, tokens, user } = found;
    return {
      id,
      user: user && userData(user),
      hasPassword,
      lastActiveOn,
      sessions,
      personalAccessTokens: tokens,
      passwordLink: linkData(found, id),
      idempotencyKeys: keys,
      storedResponses: responses.map(({ createdAt, user: created }) => ({ createdAt, user: userData(created) })),
      counters,
      auditEntries: audit.map((entry) => entryData(entry, id)),
    };
  };

/**
 * Erases a user, even a deleted one: removes all their stored values.
 *
 * @throws DomainError like {@link authorize}; `not_found`; `last_leader` unless forced.
 */
export const makeEraseUser =
  ({ erasure, users }: Pick<Ports, 'erasure' | 'users'>) =>
  async (caller: Caller, id: UserId, options: Forceable = {}): Promise<ErasedData> => {
    authorize(caller, 'eraseUser', asPerson(id, await users.find(id)));
    return erasure.eraseUser(authorOf(caller), id, (locked) => {
      if (locked) requireErasable(caller, locked, options);
    });
  };

/** Removes the audit entries before an instant, and returns their number. @throws DomainError like {@link authorize}. */
export const makePruneAudit =
  ({ erasure }: Pick<Ports, 'erasure'>) =>
  async (caller: Caller, before: Instant): Promise<number> => {
    authorize(caller, 'pruneAudit', {});
    return erasure.pruneAudit(authorOf(caller), before);
  };
