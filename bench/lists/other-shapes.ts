import type { ReadPage } from '../../packages/adapters-postgres/src/lists/read-page.ts';
import { readPageOf } from '../../test-support/lists/page-kinds.ts';

const FIELDS = ['username', 'email', 'first_name', 'last_name'];
const OPERATORS = ['', '__lt', '__lte', '__gt', '__gte', '__icontains', '__istartswith'];
const ORDERS = ['id', 'date_joined', 'birthdate', ...FIELDS].flatMap((field) => [field, `-${field}`]);

/** Query strings of different shapes. No page kind has one of these shapes. */
export const otherShapes: readonly string[] = ORDERS.flatMap((order) =>
  FIELDS.flatMap((field) =>
    OPERATORS.map((operator) => `groups=User&${field}${operator}=marta&is_staff=false&ordering=${order}`),
  ),
).slice(0, 300);

/**
 * Reads a page of each other shape twice, because a connection prepares a statement on its second use. One Leader can send
 * these requests.
 */
export const readOtherShapes = async (readPage: ReadPage, divisionId?: string): Promise<void> => {
  for (const query of otherShapes) {
    const read = readPageOf('users', query, null, divisionId);
    await read(readPage);
    await read(readPage);
  }
};
