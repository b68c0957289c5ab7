import type {
  AuditLog,
  Author,
  NewPasswordLink,
  PasswordLinks,
  UserRepository,
} from '../../packages/domain/src/index.ts';
import type { PlantedBug } from './planted-bugs.ts';
import type { SimulatedWorld } from './world.ts';

/** In its transaction, a redemption treats the user as active, and the link as one of the operator, who needs no right. */
const redeemsWithoutRecheck: PlantedBug = (world) => ({
  ...world,
  passwordLinks: {
    ...world.passwordLinks,
    redeem: (digest, requestId, decide) =>
      world.passwordLinks.redeem(digest, requestId, ({ user }) =>
        decide({ user: { ...user, isActive: true }, issuerId: null, issuer: null }),
      ),
  },
});

/** A creation of a link does not check the caller's rights again in its transaction. */
const linksWithoutRecheck: PlantedBug = (world) => ({
  ...world,
  passwordLinks: {
    ...world.passwordLinks,
    create: (author, link) => world.passwordLinks.create(author, link, () => {}),
  },
});

/** Links live a day longer than the service says. */
const expiresLate: PlantedBug = (world) => ({
  ...world,
  passwordLinks: {
    ...world.passwordLinks,
    create: async (author, link, permit) => {
      const day = 24 * 60 * 60;
      const expiresAt = await world.passwordLinks.create(author, { ...link, lifetime: link.lifetime + day }, permit);
      return new Date(Date.parse(expiresAt) - day * 1000).toISOString();
    },
  },
});

/** Marks the audit entries of links that a bug has kept open. */
const KEPT = 'kept open';

/**
 * Returns a world in which links can stay open, and a function `keep`, which runs work without closing the open link of a user.
 * The audit trail does not show it.
 */
const makeLinkKeeper = (world: SimulatedWorld) => {
  const latest = new Map<string, { readonly author: Author; readonly link: NewPasswordLink }>();
  const create: PasswordLinks['create'] = async (author, link, permit) => {
    const expiresAt = await world.passwordLinks.create(author, link, permit);
    latest.set(link.userId, { author, link });
    return expiresAt;
  };
  const keep = async <T>(userId: string, work: () => Promise<T>): Promise<T> => {
    const found = latest.get(userId);
    const isOpen = found && (await world.passwordLinks.find(found.link.digest)) !== null;
    const result = await work();
    if (isOpen) await world.passwordLinks.create({ ...found.author, requestId: KEPT }, found.link, () => {});
    return result;
  };
  const list: AuditLog['list'] = async (filter) =>
    (await world.audit.list(filter)).filter(({ requestId }) => requestId !== KEPT);
  return {
    keep,
    kept: { ...world, audit: { ...world.audit, list }, passwordLinks: { ...world.passwordLinks, create } },
  };
};

/** A move does not void the user's link. */
const keepsLinksOfMovedUsers: PlantedBug = (world) => {
  const { keep, kept } = makeLinkKeeper(world);
  const move: UserRepository['move'] = (author, id, divisionId, change) =>
    keep(id, () => world.users.move(author, id, divisionId, change));
  return { ...kept, users: { ...world.users, move } };
};

/** A change of a flag or of the password does not void the user's link. */
const keepsLinksOfChangedUsers: PlantedBug = (world) => {
  const { keep, kept } = makeLinkKeeper(world);
  const update: UserRepository['update'] = (author, id, change) =>
    keep(id, () => world.users.update(author, id, change));
  return { ...kept, users: { ...world.users, update } };
};

/** A link can be redeemed twice. */
const redeemsTwice: PlantedBug = (world) => {
  const { keep, kept } = makeLinkKeeper(world);
  const redeem: PasswordLinks['redeem'] = async (digest, requestId, decide) => {
    const userId = (await world.passwordLinks.find(digest))?.user.id ?? '';
    await keep(userId, () => world.passwordLinks.redeem(digest, requestId, decide));
  };
  return { ...kept, passwordLinks: { ...kept.passwordLinks, redeem } };
};

/** Bugs of password links that a simulation must find, by description. */
export const plantedLinkBugs: Readonly<Record<string, PlantedBug>> = {
  'a redemption without the checks in its transaction': redeemsWithoutRecheck,
  'a link without the check in its transaction': linksWithoutRecheck,
  'a link that does not expire in time': expiresLate,
  'a link that is not void after a move': keepsLinksOfMovedUsers,
  'a link that is not void after a change of its user': keepsLinksOfChangedUsers,
  'a link that is redeemed twice': redeemsTwice,
};
