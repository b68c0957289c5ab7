import * as parameters from '../../packages/adapters-http/src/lists/list-parameters.ts';
import { divisionList } from '../../packages/adapters-postgres/src/divisions/division-repository.ts';
import type { ReadPage } from '../../packages/adapters-postgres/src/lists/read-page.ts';
import { userList, userReferenceList } from '../../packages/adapters-postgres/src/users/user-rows.ts';
import type { Page, Position } from '../../packages/domain/src/ports/index.ts';
import { ELSEWHERE, MEASURED_ID, RARE } from './members.ts';

/** A group of pages with the same cost limits. Reports show a table per group. */
export type PageGroup = 'first page' | 'page at 90 %' | 'filters' | 'search' | 'division' | 'divisions' | 'others';

/** A kind of list page. */
export interface PageKind {
  readonly group: PageGroup;
  /** The query string without a cursor. For lists other than that of users, the path precedes it. */
  readonly query: string;
  /** A distinguishing property, such as how many members match. */
  readonly about: string;
  readonly read: (readPage: ReadPage) => Promise<Page<unknown>>;
}

/** Returns whether the cost of pages in this group must be independent of the number of members. */
export const isFlat = (group: PageGroup): boolean => group !== 'others';

/** Returns whether a group has only pages in an order by one field, without filters or search. */
export const isOrder = (group: PageGroup): boolean => group === 'first page' || group === 'page at 90 %';

/** The paths of the lists. */
export const PATHS = {
  users: '/api/users/',
  divisions: '/api/divisions/',
  references: '/api/division/{id}/users/',
} as const;

/** The name of a list. */
export type ListName = keyof typeof PATHS;

/** Returns a function that reads a page of a list, of one division if its users are listed. `query` has no cursor. */
export const readPageOf =
  (list: ListName, query: string, position: Position | null, divisionId = MEASURED_ID): PageKind['read'] =>
  (readPage) => {
    if (list === 'divisions')
      return readPage(divisionList, null, { ...parameters.divisionListParameters.read(query, ''), position });
    if (list === 'users')
      return readPage(userList, divisionId, { ...parameters.userListParameters.read(query, ''), position });
    return readPage(userReferenceList, divisionId, {
      ...parameters.divisionUserListParameters.read(query, ''),
      position,
    });
  };

const CONDITIONS: readonly (readonly [group: PageGroup, query: string, about: string])[] = [
  ['filters', 'is_active=true', 'nearly all'],
  ['filters', 'is_active=false&ordering=-username', 'one in twelve'],
  ['filters', 'username__istartswith=anna.&ordering=username', 'a range of the order'],
  ['filters', 'birthdate__gte=1980-01-01&birthdate__lt=1981-01-01&ordering=-birthdate', 'a range of the order'],
  ['filters', 'is_superuser=true', 'ten'],
  ['filters', `last_name=${RARE}&ordering=username`, 'ten'],
  ['filters', `first_name__icontains=${RARE}`, 'none; another field of ten has it'],
  ['filters', 'email=absent@example.org', 'none'],
  ['filters', 'birthdate=1980-02-29&is_superuser=true', 'none'],
  ['search', `search=${RARE}`, 'ten'],
  ['search', `search=${RARE}+example`, 'ten, and nearly all'],
  ['search', 'search=example', 'nearly all'],
  ['search', `search=${ELSEWHERE}`, 'ten here, many elsewhere'],
  ['search', 'search=zzqzzqzz', 'none'],
  ['search', 'search=%E6%A5%8A', 'none, by a Chinese character'],
  ['search', 'search=%E6%A5%8A&birthdate__gte=1940-01-01', 'none, by a Chinese character, in a wide range'],
  ['search', 'search=%25', 'none, by a punctuation mark'],
  ['search', 'search=a', 'nearly all'],
  ['others', 'search=schmidt', 'one in 100'],
  ['others', 'groups=Leader', 'one in 200'],
  ['others', 'is_staff=true', 'one in 1,000'],
  ['others', 'search=a+e+q+9+7', 'letters and digits that are seldom together'],
  ['others', 'date_joined__gte=2023-01-01T00:00:00Z&ordering=id', 'one in six, all at the end of the order'],
  ['others', 'ordering=last_name,first_name', 'an index for the first field only'],
  ['others', 'ordering=groups', 'no index'],
  ['others', 'count=true', 'counted'],
  ['others', `search=${RARE.slice(-2)}`, 'ten, by two letters'],
  ['others', 'search=qq', 'none, by two letters'],
  ['others', 'search=anna&is_active=true&ordering=-last_name', 'one in 20'],
  ['others', `search=${ELSEWHERE}&ordering=username`, 'ten here, many elsewhere, another order'],
  ['others', 'search=anna+berg', 'one in 500'],
  ['others', 'search=%C5%82ukasz', 'one in 36, with a letter outside ASCII'],
  ['others', 'is_active=false&last_name__icontains=berg', 'one in 300'],
  ['others', 'first_name__icontains=q&ordering=-email', 'one in 36, far from the beginning of the order'],
  ['others', 'ordering=-is_active', 'no index'],
  ['others', 'count=true&search=anna', 'counted'],
];

/** Returns pages of a division's list of users with filters, search words or orders without an index. */
export const conditionKinds = (divisionId: string): readonly PageKind[] =>
  CONDITIONS.map(([group, query, about]) => ({
    group,
    query,
    about,
    read: readPageOf('users', query, null, divisionId),
  }));
