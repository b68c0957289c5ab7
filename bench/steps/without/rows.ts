import { makeOrm } from '../../../packages/adapters-postgres/src/connection/orm.ts';
import { toPage } from '../../../packages/adapters-postgres/src/lists/page.ts';
import { DivisionEntity } from '../../../packages/adapters-postgres/src/schema/entities/division-entity.ts';
import { UserEntity } from '../../../packages/adapters-postgres/src/schema/entities/user-entity.ts';
import { userRevision } from '../../../packages/adapters-postgres/src/schema/rows.ts';
import * as original from '../../../packages/adapters-postgres/src/users/user-repository.ts';
import { completeOrder, type User, type UserListField, userListFields } from '../../../packages/domain/src/index.ts';
import { moduleAt } from '../replaced.ts';

/**
 * Users by the ORM's `find`, each time with an identity map of its own: without names, shared look-ups and connections,
 * with all columns, and the division in a statement of its own. The caller's rights are read as ever.
 */
export const replaces = moduleAt('packages/adapters-postgres/src/users/user-repository.ts');

const toUser = (user: UserEntity, { id, name, nameVersion }: DivisionEntity): User => ({
  id: user.id,
  username: user.username,
  email: user.email ?? null,
  firstName: user.firstName,
  lastName: user.lastName,
  division: { id, name },
  groups: user.groups,
  birthdate: user.birthdate ?? null,
  isActive: user.isActive,
  isStaff: user.isStaff,
  isSuperuser: user.isSuperuser,
  // Whatever it is typed as, the ORM's own pool makes a date of it.
  dateJoined: new Date(user.dateJoined).toISOString(),
  revision: userRevision(user.version, nameVersion),
});

const DEFAULT = JSON.stringify(completeOrder<UserListField>([{ field: 'dateJoined', descending: false }]));

/** See the module that this one replaces. Of lists, there is the first page in the default order alone. */
export const makeUserRepository: typeof original.makeUserRepository = (...ports) => {
  const repository = original.makeUserRepository(...ports);
  const { orm } = makeOrm({ url: process.env['DATABASE_URL'] ?? '' });
  return {
    ...repository,
    find: async (id) => {
      const em = orm.em.fork();
      const user = await em.findOne(UserEntity, { id });
      return user && toUser(user, await em.findOneOrFail(DivisionEntity, { id: user.division }));
    },
    list: async (divisionId, query) => {
      const { filters, words, order, position, size, counted } = query;
      const isFirstPage = filters.length + words.length === 0 && !position && !counted;
      if (!isFirstPage || JSON.stringify(order) !== DEFAULT)
        throw new Error('only the first page in the default order');
      const em = orm.em.fork();
      const division = await em.findOneOrFail(DivisionEntity, { id: divisionId });
      const orderBy = { dateJoined: 'asc', id: 'asc' } as const;
      const users = await em.find(UserEntity, { division: divisionId }, { orderBy, limit: size + 1 });
      const items = users.map((user) => toUser(user, division));
      return toPage(userListFields, query, items);
    },
  };
};
