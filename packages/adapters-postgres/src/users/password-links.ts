import { type Actor, invalidToken, notFound, type PasswordLinks, userAudit } from '@chapter/domain/ports';
import type { WriteAudit } from '../audit/audit-writer.ts';
import type { Runner } from '../connection/statement.ts';
import { type InTransaction, rowsOf } from '../connection/transaction.ts';
import { toInstant } from '../schema/mapping.ts';
import { applyUserWrite } from './apply-write.ts';
import { lockActorAndTarget } from './lock.ts';
import { FIND_HOLDER, FIND_LINK, STORE_LINK } from './password-link-statements.ts';
import { toGroups, toUser } from './user-rows.ts';

/** The columns of an issuer, each in its text form. */
type IssuerRow = readonly [
  id: string,
  username: string,
  divisionId: string,
  groups: string,
  isActive: string,
  isStaff: string,
  isSuperuser: string,
];

const toIssuer = (json: string): Actor => {
  const [id, username, divisionId, groups, ...flags] = JSON.parse(json) as IssuerRow;
  const [isActive = false, isStaff = false, isSuperuser = false] = flags.map((flag) => flag === 'true');
  return { id, username, divisionId, groups: toGroups(groups), isActive, isStaff, isSuperuser };
};

/** Makes the store of password links. Every write of a link holds the lock of its user. */
export const makePasswordLinks = (
  runner: Runner,
  inTransaction: InTransaction,
  writeAudit: WriteAudit,
): PasswordLinks => ({
  create: (author, { userId, digest, lifetime }, permit) =>
    inTransaction(rowsOf(author, userId), async (tx) => {
      const { actor, target } = await lockActorAndTarget(tx, author.userId, userId);
      if (!target) throw notFound();
      const { user, passwordHash } = target;
      permit({ actor, user });
      const { division, isStaff, isSuperuser } = user;
      const state = { divisionId: division.id, isStaff, isSuperuser, passwordHash };
      writeAudit(tx, author, userAudit('createPasswordLink', user));
      const [row] = await STORE_LINK.run(tx, { userId, digest, issuerId: author.userId, lifetime, ...state });
      if (!row) throw new Error('the statement that stores a link returned no row');
      return toInstant(row[0]);
    }),

  find: async (digest) => {
    const [row] = await FIND_LINK.run(runner, { digest });
    if (!row) return null;
    const [issuerId, issuer, ...user] = row;
    return { user: toUser(user), issuerId, issuer: issuer === null ? null : toIssuer(issuer) };
  },

  redeem: (digest, requestId, decide) =>
    inTransaction(['redeem', digest], async (tx) => {
      const [holder] = await FIND_HOLDER.run(tx, { digest });
      if (!holder) throw invalidToken();
      const [userId, issuerId] = holder;
      const { actor: issuer, target } = await lockActorAndTarget(tx, issuerId, userId);
      // Read the link again, because it may have changed before it was locked.
      const [row] = await FIND_LINK.run(tx, { digest });
      if (!target || !row) throw invalidToken();
      const { user } = target;
      const write = decide({ user, issuerId, issuer });
      applyUserWrite(tx, writeAudit, { userId, name: user.username, requestId }, write);
    }),
});
