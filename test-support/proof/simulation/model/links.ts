import type { PasswordHash, UserId } from '../../../../packages/domain/src/index.ts';
import { refusalOnUser } from './rights.ts';
import { endSessions, type Model, type ModelLink, type ModelUser } from './state.ts';
import { type BY_OPERATOR, type By, changesAsText, type Predicted } from './users.ts';

/** The lifetime of the link of a Leader, in milliseconds (contract §11). */
export const LINK_LIFETIME_MS = 72 * 60 * 60 * 1000;

/** The digest of a new link, and its lifetime in milliseconds. */
export interface LinkToCreate {
  readonly target: UserId;
  readonly digest: string;
  readonly lifetimeMs: number;
}

/** Predicts the expiry of a link that is created at this moment. The operator needs no right. */
export const predictLink = (
  model: Model,
  { actorId, requestId }: By | typeof BY_OPERATOR,
  { target, digest, lifetimeMs }: LinkToCreate,
  now: number,
): Predicted<number> => {
  const user = model.users.get(target);
  if (!user) return { refusal: 'not_found' };
  const denied = actorId === null ? undefined : refusalOnUser(model.users.get(actorId), 'createPasswordLink', user);
  if (denied) return { refusal: denied };
  return {
    apply: () => {
      const expiresAt = now + lifetimeMs;
      model.links.set(target, { digest, issuerId: actorId, expiresAt });
      model.digests.add(digest);
      model.audit.push({ action: 'createPasswordLink', authorId: actorId, targetId: target, requestId, changes: '' });
      return expiresAt;
    },
  };
};

/** Returns the open link with a digest, and its user; undefined if there is none. */
export const openLinkOf = (
  { links, users }: Model,
  digest: string,
  now: number,
): { readonly user: ModelUser; readonly link: ModelLink } | undefined => {
  const [userId = '', link] = [...links].find(([, { digest: other }]) => other === digest) ?? [];
  const user = users.get(userId);
  return user && link && link.expiresAt > now ? { user, link } : undefined;
};

/** Returns whether a link is refused at this moment: it is not open, its user is inactive, or its issuer lost the right. */
export const isLinkRefused = (model: Model, digest: string, now: number): boolean => {
  const open = openLinkOf(model, digest, now);
  if (!open?.user.isActive) return true;
  const { issuerId } = open.link;
  return issuerId !== null && refusalOnUser(model.users.get(issuerId), 'createPasswordLink', open.user) !== undefined;
};

/** Predicts the redemption of a link at this moment. `hash` returns the hash that is stored for the new password. */
export const predictRedemption = (
  model: Model,
  requestId: string,
  { digest, password }: { readonly digest: string; readonly password: string },
  hash: () => PasswordHash,
  now: number,
): Predicted<undefined> => {
  const open = openLinkOf(model, digest, now);
  if (!open || isLinkRefused(model, digest, now)) return { refusal: 'invalid_token' };
  return {
    apply: () => {
      const { user } = open;
      model.users.set(user.id, { ...user, password, hash: hash(), version: user.version + 1 });
      model.links.delete(user.id);
      endSessions(model, user.id);
      const changes = changesAsText(['password']);
      model.audit.push({ action: 'redeemPasswordLink', authorId: user.id, targetId: user.id, requestId, changes });
      return undefined;
    },
  };
};
