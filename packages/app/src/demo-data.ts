import {
  completeOrder,
  type DivisionRepository,
  makeAdmitUser,
  makeCreateDivision,
  type NewUserPorts,
  OPERATOR,
  type UserRepository,
} from '@chapter/domain';

/** The password of every demo account. */
export const DEMO_PASSWORD = 'chapter-demo';

/** An account of the demo data. */
export interface DemoAccount {
  readonly username: string;
  /** What the account can be used to see, in words. */
  readonly role: string;
}

const DIVISIONS = [
  { name: 'North', logo: 'https://example.org/north.png', fanpage: 'https://example.org/north' },
  { name: 'South', logo: null, fanpage: null },
] as const;

const ACCOUNTS = [
  { username: 'leader', division: 0, groups: ['Leader'], firstName: 'Lea', lastName: 'Lind', role: 'Leader of North' },
  { username: 'guest', division: 0, groups: ['Guest'], firstName: 'Gus', lastName: 'Gray', role: 'Guest of North' },
  { username: 'user', division: 0, groups: ['User'], firstName: 'Uma', lastName: 'Ude', role: 'User of North' },
  { username: 'admin', division: 0, groups: ['User'], firstName: 'Ada', lastName: 'Amin', role: 'Administrator' },
  {
    username: 'leader.south',
    division: 1,
    groups: ['Leader'],
    firstName: 'Sol',
    lastName: 'Sand',
    role: 'Leader of South',
  },
] as const;

/**
 * Puts in two divisions and an account for every role, unless there is a division already: then it does nothing and
 * answers none.
 *
 * @throws DomainError as the operator's use cases.
 */
export const putInDemoData = async (
  ports: NewUserPorts & { users: UserRepository; divisions: DivisionRepository },
): Promise<readonly DemoAccount[]> => {
  const order = completeOrder([{ field: 'name' as const, descending: false }]);
  const any = { filters: [], words: [], searched: [], order, size: 1, position: null, counted: false };
  if ((await ports.divisions.list(any)).items.length > 0) return [];
  const createDivision = makeCreateDivision(ports);
  const admitUser = makeAdmitUser(ports);
  const divisions = [];
  for (const division of DIVISIONS) divisions.push(await createDivision(OPERATOR, division));
  for (const { division, role, ...fields } of ACCOUNTS) {
    const email = `${fields.username}@example.org`;
    const flags = role === 'Administrator' ? { isSuperuser: true } : {};
    const { id = '' } = divisions[division] ?? {};
    await admitUser(OPERATOR, id, { ...fields, email, password: DEMO_PASSWORD }, flags);
  }
  return ACCOUNTS;
};
