import * as parameters from '../../packages/adapters-http/src/lists/lists.ts';
import { divisionList } from '../../packages/adapters-postgres/src/divisions/division-list.ts';
import type { ListRows } from '../../packages/adapters-postgres/src/lists/list-rows.ts';
import { userList, userReferenceList } from '../../packages/adapters-postgres/src/users/user-list.ts';
import type { Page, Position } from '../../packages/domain/src/index.ts';
import { ELSEWHERE, MEASURED_ID, RARE } from './people.ts';

/** What kinds of pages have in common: what they are allowed to cost, and where they are shown. */
export type Group = 'first page' | 'page at 90 %' | 'filters' | 'search' | 'division' | 'divisions' | 'others';

/** A kind of page that is asked for. */
export interface Kind {
  readonly group: Group;
  /** As a caller writes it, without the page's place: what is asked for is read from here. */
  readonly query: string;
  /** What is special about it, in words. */
  readonly about: string;
  readonly ask: (listRows: ListRows) => Promise<Page<unknown>>;
}

/** Whether the cost of a page of this group is not to grow with anything. */
export const isFlat = (group: Group): boolean => group !== 'others';

/** The ways to the lists. */
export const PATHS = {
  users: '/api/users/',
  divisions: '/api/divisions/',
  references: '/api/division/{id}/users/',
} as const;

/** A list by the way to it. */
export type ListName = keyof typeof PATHS;

/** A page of a list, by its query string without a cursor, and its place. */
export const askOf =
  (list: ListName, query: string, position: Position | null): Kind['ask'] =>
  (listRows) => {
    if (list === 'divisions')
      return listRows(divisionList, [], { ...parameters.divisionListParameters.read(query, ''), position });
    if (list === 'users')
      return listRows(userList, [MEASURED_ID], { ...parameters.userListParameters.read(query, ''), position });
    return listRows(userReferenceList, [MEASURED_ID], {
      ...parameters.divisionUserListParameters.read(query, ''),
      position,
    });
  };

const kind = (group: Group, query: string, about = ''): Kind => ({
  group,
  query,
  about,
  ask: askOf('users', query, null),
});

/** Pages of the list of users that meet conditions. */
export const conditions: readonly Kind[] = [
  kind('filters', 'is_active=true', 'most'),
  kind('filters', 'is_active=false&ordering=-username', 'one in twelve'),
  kind('filters', 'username__istartswith=anna.&ordering=username', 'a stretch of the order'),
  kind('filters', 'birthdate__gte=1980-01-01&birthdate__lt=1981-01-01&ordering=-birthdate', 'a stretch of the order'),
  kind('filters', 'is_superuser=true', 'ten'),
  kind('filters', `last_name=${RARE}&ordering=username`, 'ten'),
  kind('filters', `first_name__icontains=${RARE}`, 'nobody, where another field of ten has it'),
  kind('filters', 'email=nobody@example.org', 'nobody'),
  kind('filters', 'birthdate=1980-02-29&is_superuser=true', 'nobody'),
  kind('search', `search=${RARE}`, 'ten'),
  kind('search', `search=${RARE}+example`, 'ten, and nearly all'),
  kind('search', 'search=example', 'nearly all'),
  kind('search', `search=${ELSEWHERE}`, 'ten here, many elsewhere'),
  kind('search', 'search=zzqzzqzz', 'nobody'),
  kind('search', 'search=a', 'nearly all'),
  kind('search', `search=${RARE.slice(-2)}`, 'ten, by two letters'),
  kind('search', 'search=qq', 'nobody, by two letters'),
  kind('search', 'search=%25', 'nobody, by a sign'),
  kind('others', 'search=schmidt', 'one in 100'),
  kind('others', 'groups=Leader', 'one in 200'),
  kind('others', 'is_staff=true', 'one in 1,000'),
  kind('others', 'search=a+e+q+9+7', 'frequent letters that are seldom together'),
  kind('others', 'date_joined__gte=2023-01-01T00:00:00Z&ordering=id', 'one in six, all at the end of the order'),
  kind('others', 'ordering=last_name,first_name', 'an index for the first field only'),
  kind('others', 'ordering=groups', 'no index'),
  kind('others', 'count=true', 'counted'),
];
