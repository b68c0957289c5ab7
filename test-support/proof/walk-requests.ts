import {
  type Actor,
  checkFields,
  type FieldRights,
  GROUPS,
  type makeExplain,
  makeFieldRights,
  type policy,
  type SentFields,
  targetTypes,
  USER_READ_ONLY,
  userChangeChecks,
} from '../../packages/domain/src/api/index.ts';
import { groupSubsets, idNamed, leader, OTHER, OWN } from './states.ts';

/** The rules for a walk: those of the domain, or rules with a deliberate flaw. */
export interface RuleTable {
  readonly explain: ReturnType<typeof makeExplain<typeof policy>>;
  readonly fieldRights: FieldRights;
}

/** A user, and whether the walker knows their password and can act as them. */
export interface Account extends Actor {
  readonly held: boolean;
}

/** Returns an active member of {@link OWN} without rights, apart from the given values. */
export const accountOf = (username: string, values: Partial<Account>): Account => ({
  ...leader,
  id: idNamed(username),
  username,
  groups: [],
  held: false,
  ...values,
});

/** A request about a target, whether the rules allow it, and the target afterwards. */
export interface Attempt {
  readonly action: 'createUser' | 'updateUser' | 'deleteUser' | 'createPasswordLink';
  /** Empty for a deletion and a password link. */
  readonly sent: SentFields;
  readonly isAllowed: boolean;
  /** Null after a deletion. */
  readonly next: Account | null;
}

/** The password that the walker sets and therefore knows. */
export const NEW = 'a new password';

const checks = userChangeChecks({ today: () => '2026-01-01', passwordMinLength: 8 });

/** Changes that a request can try, apart from fields that give no rights. */
const writes = ({ groups, isActive }: Account): readonly SentFields[] => [
  ...GROUPS.map((group) => ({
    groups: GROUPS.filter((each) => groups.includes(each) !== (each === group)),
  })),
  { isActive: !isActive },
  { password: NEW, currentPassword: NEW },
  { division: OTHER },
  { division: OWN },
  ...USER_READ_ONLY.map((field) => ({ [field]: true })),
];

const creations: readonly SentFields[] = groupSubsets.flatMap((groups) => [
  { password: NEW, groups },
  { password: NEW, groups, division: OTHER },
  { password: NEW, groups, isStaff: true },
]);

const mayWrite = ({ fieldRights }: RuleTable, actor: Account, target: Account, sent: SentFields): boolean =>
  makeFieldRights(targetTypes.user, fieldRights).forbiddenFields(actor, target, sent).length === 0 &&
  checkFields(checks, { fields: sent }, { readOnly: USER_READ_ONLY }).faults.length === 0;

const written = (target: Account, sent: SentFields): Account => {
  const { division, password, currentPassword: _, ...values } = sent;
  const divisionId = typeof division === 'string' ? division : target.divisionId;
  return { ...target, ...(values as Partial<Account>), divisionId, held: target.held || password !== undefined };
};

/** Returns every change that the actor can try on the target. */
const changes = (table: RuleTable, actor: Account, target: Account): readonly Attempt[] => {
  const mayUpdate = table.explain(actor, 'updateUser', target).outcome === 'allowed';
  const mayDelete = table.explain(actor, 'deleteUser', target).outcome === 'allowed';
  const mayLink = table.explain(actor, 'createPasswordLink', target).outcome === 'allowed';
  return [
    ...writes(target).map((sent): Attempt => {
      const isAllowed = mayUpdate && mayWrite(table, actor, target, sent);
      return { action: 'updateUser', sent, isAllowed, next: written(target, sent) };
    }),
    { action: 'deleteUser', sent: {}, isAllowed: mayDelete, next: null },
    // Who creates a link can redeem it, but not for an inactive user.
    { action: 'createPasswordLink', sent: {}, isAllowed: mayLink && target.isActive, next: { ...target, held: true } },
  ];
};

/** Returns every creation that the actor can try. */
const creationsBy = (table: RuleTable, actor: Account): readonly Attempt[] => {
  const { divisionId } = actor;
  const mayCreate = table.explain(actor, 'createUser', { divisionId }).outcome === 'allowed';
  const blank: Account = {
    id: idNamed('novice'),
    username: 'newcomer',
    divisionId,
    groups: [],
    isActive: true,
    isStaff: false,
    isSuperuser: false,
    held: true,
  };
  return creations.map((sent): Attempt => {
    const isAllowed = mayCreate && mayWrite(table, actor, blank, sent);
    return { action: 'createUser', sent, isAllowed, next: written(blank, sent) };
  });
};

/** Returns every request that the actor can try on the target, or to create a user if the target is null. */
export const attempts = (table: RuleTable, actor: Account, target: Account | null): readonly Attempt[] =>
  target ? changes(table, actor, target) : creationsBy(table, actor);
