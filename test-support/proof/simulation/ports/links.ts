import type { Author, PasswordLinks } from '../../../../packages/domain/src/ports/index.ts';
import { requireSame } from '../difference.ts';
import { isLinkRefused, LINK_LIFETIME_MS, openLinkOf, predictLink, predictRedemption } from '../model/links.ts';
import { BY_OPERATOR } from '../model/users.ts';
import { commandOfRun, type Run, requireAuthor } from '../run.ts';
import { requireActor, requireUser } from '../views.ts';
import { call, type Simulation, write } from './call.ts';

const HOUR_MS = 60 * 60 * 1000;

/** Returns the author and the lifetime of the link of a command, by its kind. */
const requestedLink = (run: Run, { userId }: Author, target: string) => {
  if (userId === null) return { by: BY_OPERATOR, lifetimeMs: commandOfRun(run, 'linkUser', target).hours * HOUR_MS };
  commandOfRun(run, 'createPasswordLink', target);
  return { by: { actorId: requireAuthor(run, userId), requestId: run.requestId }, lifetimeMs: LINK_LIFETIME_MS };
};

/** Wraps the repository of password links: calls take turns and are compared with the model. */
export const simulateLinks = (simulation: Simulation): PasswordLinks => {
  const { world, model } = simulation;
  const { passwordLinks, refreshTokens } = world;
  const now = () => Date.parse(world.clock.now());

  const find = (digest: string) => async (run: Run) => {
    const found = await passwordLinks.find(digest);
    const open = openLinkOf(model, digest, now());
    requireUser(model, found && found.user, open?.user);
    requireSame('the issuer of a link', found?.issuerId, open?.link.issuerId);
    requireActor(found && found.issuer, model.users.get(open?.link.issuerId ?? ''));
    if (isLinkRefused(model, digest, now())) run.refusals.add('invalid_token');
    return found;
  };

  return {
    create: (author, link, permit) =>
      write(
        simulation,
        'passwordLinks.create',
        (run) => {
          const { by, lifetimeMs } = requestedLink(run, author, link.userId);
          return predictLink(model, by, { target: link.userId, digest: link.digest, lifetimeMs }, now());
        },
        (decide) => passwordLinks.create(author, link, (locked) => decide(permit(locked))),
        (expiresAt, expected) => requireSame('the expiry of a link', Date.parse(expiresAt), expected),
      ),

    find: (digest) => call(simulation, 'passwordLinks.find', find(digest), find(digest)),

    redeem: (digest, requestId, decideOnLink) => {
      let hash = '';
      return write(
        simulation,
        'passwordLinks.redeem',
        (run) => {
          const { token, password } = commandOfRun(run, 'redeemPasswordLink');
          requireSame('the redeemed link', [digest, requestId], [refreshTokens.digestsOf(token).digest, run.requestId]);
          return predictRedemption(model, run.requestId, { digest, password }, () => hash, now());
        },
        (decide) =>
          passwordLinks.redeem(digest, requestId, (link) => {
            const decided = decideOnLink(link);
            hash = decided.passwordHash ?? '';
            return decide(decided);
          }),
        () => {},
      );
    },
  };
};
