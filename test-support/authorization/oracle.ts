/**
 * The permissions of the contract as a table (contract §1, §3): a row per action, a column per role, a letter per outcome.
 * The table does not derive from the code that is compared with it.
 *
 * Letters: A allowed, F forbidden (403), N not found (404). Four letters are the outcomes for these targets, in this order:
 * the caller or their own division, another user of that division, another division or a user of it, and a target that does
 * not exist. A single letter is for actions whose only target is the caller's own division or the service. The target of
 * endOwnSession is the user of the session.
 */
const outcomes = `
                   any      Leader  Guest  User  Administrator
getUser            ANNN     AANN    AANN   ANNN  ANNN
updateUser         ANNN     AANN    AFNN   ANNN  ANNN
deleteUser         FNNN     AANN    FFNN   FNNN  FNNN
getDivision        FFNN     AANN    AANN   FFNN  FFFN
updateDivision     FFNN     AANN    FFNN   FFNN  FFFN
listDivisionUsers  FFNN     AANN    AANN   FFNN  FFFN
listUsers          F        A       A      F     F
createUser         F        A       F      F     F
listDivisions      F        F       F      F     A
listGroups         A        A       A      A     A
getInfo            A        A       A      A     A
listOwnSessions    A        A       A      A     A
endOwnSession      ANNN     ANNN    ANNN   ANNN  ANNN
createPasswordLink FNNN     FANN    FFNN   FNNN  FNNN
`;

/** The attributes of an actor that the table depends on. */
export interface Standing {
  readonly status: 'active' | 'inactive' | 'deleted' | 'anonymous';
  readonly groups: readonly string[];
  readonly isStaff: boolean;
  readonly isSuperuser: boolean;
}

/** The relation of a target to the actor. */
export const RELATIONS = ['self', 'same division', 'other division', 'absent'] as const;
export type Relation = (typeof RELATIONS)[number];

const [head = '', ...rows] = outcomes.trim().split('\n');
const roles = head.trim().split(/\s+/);
const table = new Map(
  rows.map((row) => {
    const [action = '', ...cells] = row.trim().split(/\s+/);
    return [action, new Map(cells.map((cell, column) => [roles[column], cell]))];
  }),
);

/** The actions of the table, each with the relations of its possible targets. */
export const oracleActions = [...table].map(([action, cells]) => ({
  action,
  relations: cells.get('any')?.length === 4 ? RELATIONS : (['self'] as const),
}));

/** Actions that a Leader may perform on an Administrator only as an Administrator. Other Leaders get 403. */
const RESTRICTED_ON_ADMINISTRATORS: ReadonlySet<string> = new Set(['createPasswordLink']);

/** The flags of a target that the outcome depends on. */
type TargetFlags = Pick<Standing, 'isStaff' | 'isSuperuser'>;

const NO_FLAGS: TargetFlags = { isStaff: false, isSuperuser: false };
const isAdministrator = ({ isStaff, isSuperuser }: TargetFlags): boolean => isStaff || isSuperuser;

const OUTCOMES = { A: 'allowed', F: 'forbidden', N: 'not_found' } as const;

/** Returns the outcome by the table. An actor with several roles gets the best of their outcomes: A, then F, then N. */
export const oracle = (
  { status, groups, isStaff, isSuperuser }: Standing,
  action: string,
  relation: Relation,
  target = NO_FLAGS,
): 'allowed' | 'forbidden' | 'not_found' | 'unauthenticated' => {
  if (status !== 'active') return 'unauthenticated';
  const held = ['any', ...groups, ...(isStaff || isSuperuser ? ['Administrator'] : [])];
  const letters = new Set(held.map((role) => table.get(action)?.get(role)?.[RELATIONS.indexOf(relation)]));
  const best = (['A', 'F', 'N'] as const).find((letter) => letters.has(letter));
  const needsAdministrator = RESTRICTED_ON_ADMINISTRATORS.has(action) && isAdministrator(target);
  if (best === 'A' && needsAdministrator && !isAdministrator({ isStaff, isSuperuser })) return 'forbidden';
  if (!best) throw new Error(`the table has no outcome for ${action}`);
  return OUTCOMES[best];
};
