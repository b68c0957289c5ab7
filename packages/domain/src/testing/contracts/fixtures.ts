import { forbidden } from '../../model/errors.ts';
import { type Author, authorOf, type User } from '../../model/user.ts';
import type { World } from '../in-memory/world.ts';

/** A permission for everything. */
export const allow = (): void => {};

/** Refuses everything. @throws DomainError `forbidden`. */
export const refuse = (): never => {
  throw forbidden('not allowed');
};

/** Returns a user as author. */
export const by = (user: User, requestId: string | null = null): Author => ({
  ...authorOf({ ...user, divisionId: null }),
  requestId,
});

/** Returns the newest audit entries about users or by them. */
export const entriesOf = ({ audit }: Pick<World, 'audit'>, ...users: readonly Pick<User, 'id'>[]) =>
  audit.list({ userIds: users.map(({ id }) => id), limit: 100 });

/** The seconds of an hour. */
export const HOUR_SECONDS = 60 * 60;

/** A network from which users log in. */
export const HOME = '192.0.2.0/24';
