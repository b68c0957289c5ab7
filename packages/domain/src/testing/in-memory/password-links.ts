import { userDifferences } from '../../fields/user-checks.ts';
import { invalidToken, notFound } from '../../model/errors.ts';
import type { OpenPasswordLink, PasswordLinks } from '../../ports/password-links.ts';
import { addSeconds } from '../../use-cases/steps/session.ts';
import { endSessionsOf, type Store, storedActor, userOf, writeEntry } from './store.ts';

const openLink = (store: Store, digest: string): OpenPasswordLink | null => {
  const [userId, link] = [...store.passwordLinks].find(([, stored]) => stored.digest === digest) ?? [];
  const user = store.users.get(userId ?? '');
  if (!link || !user || link.expiresAt <= store.clock.now()) return null;
  const { issuerId } = link;
  return { user: userOf(store, user), issuerId, issuer: storedActor(store, issuerId) };
};

/** Returns an in-memory repository of password links. */
export const makeInMemoryPasswordLinks = (store: Store): PasswordLinks => ({
  create: (author, { userId, digest, lifetime }, permit) =>
    store.exclusive(() => {
      const stored = store.users.get(userId);
      if (!stored) throw notFound();
      permit({ actor: storedActor(store, author.userId), user: userOf(store, stored) });
      const expiresAt = addSeconds(store.clock.now(), lifetime);
      store.passwordLinks.set(userId, { digest, issuerId: author.userId, expiresAt });
      const target = { type: 'user', id: userId, divisionId: stored.divisionId } as const;
      writeEntry(store, author, 'createPasswordLink', target, {});
      return expiresAt;
    }),

  find: async (digest) => openLink(store, digest),

  redeem: (digest, requestId, decide) =>
    store.exclusive(() => {
      const link = openLink(store, digest);
      const stored = link && store.users.get(link.user.id);
      if (!link || !stored) throw invalidToken();
      const passwordHash = decide(link);
      const { id, divisionId, username } = stored;
      store.users.set(id, { ...stored, passwordHash, version: stored.version + 1 });
      store.passwordLinks.delete(id);
      endSessionsOf(store, id);
      const author = { userId: id, name: username, requestId };
      const changes = userDifferences(link.user, link.user, { passwordChanged: true });
      writeEntry(store, author, 'redeemPasswordLink', { type: 'user', id, divisionId }, changes);
    }),
});
