import { type PlantedBug, withDecisions } from './planted-bugs.ts';

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

/** A move does not void the user's link. */
const keepsLinksOfMovedUsers: PlantedBug = (world) =>
  withDecisions(world, (write, { divisionId }) => (divisionId === undefined ? write : { ...write, voidsLink: false }));

/** A change of a flag or of the password does not void the user's link. */
const keepsLinksOfChangedUsers: PlantedBug = (world) =>
  withDecisions(world, (write, { divisionId }) =>
    divisionId === undefined && write.kind === 'change' ? { ...write, voidsLink: false } : write,
  );

/** A link can be redeemed twice. */
const redeemsTwice: PlantedBug = (world) => ({
  ...world,
  passwordLinks: {
    ...world.passwordLinks,
    redeem: (digest, requestId, decide) =>
      world.passwordLinks.redeem(digest, requestId, (link) => ({ ...decide(link), voidsLink: false })),
  },
});

/** Bugs of password links that a simulation must find, by description. */
export const plantedLinkBugs: Readonly<Record<string, PlantedBug>> = {
  'a redemption without the checks in its transaction': redeemsWithoutRecheck,
  'a link without the check in its transaction': linksWithoutRecheck,
  'a link that does not expire in time': expiresLate,
  'a link that is not void after a move': keepsLinksOfMovedUsers,
  'a link that is not void after a change of its user': keepsLinksOfChangedUsers,
  'a link that is redeemed twice': redeemsTwice,
};
