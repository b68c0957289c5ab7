import { GROUPS, isOperator, type makeExplain, type policy } from '../../packages/domain/src/index.ts';
import { type Body, PASSWORD } from './bodies.ts';
import { type CedarModel, cedarActions, contractModel } from './model.ts';
import { BY_OPERATOR, expectedDecision, expectedOutcome, type ModelUser, type Stored } from './outcome.ts';
import {
  ABSENT,
  callerWithStanding,
  flagPairs,
  NO_FLAGS,
  OTHER,
  OWN,
  operatorStanding,
  RELATIONS,
  type Relation,
  type Standing,
  standings,
  type TargetFlags,
  targetOf,
} from './states.ts';

/** A decision to compare: caller, action and target. `hasDivision` is false if the caller's division no longer exists. */
export interface DecisionCase {
  readonly standing: Standing;
  readonly hasDivision: boolean;
  readonly action: string;
  readonly relation: Relation;
  readonly flags: TargetFlags;
  readonly groups: readonly string[];
}

const ACTOR = targetOf('self')?.id ?? '';
const TARGET = targetOf('same division')?.id ?? '';

type Target = Pick<DecisionCase, 'relation' | 'flags' | 'groups'>;

/** Returns the relations that the targets of an action can have. The service and the caller's division are `self`. */
const relationsOf = (action: string): readonly Relation[] => {
  if (cedarActions[action] === 'Chapter') return ['self'];
  return cedarActions[action] === 'Division' ? RELATIONS.filter((one) => one !== 'same division') : RELATIONS;
};

/** Returns the targets of an action. Other users differ in flags and groups, though no rule depends on a target's groups. */
const targetsOf = (action: string): readonly Target[] =>
  relationsOf(action).flatMap((relation): readonly Target[] =>
    cedarActions[action] === 'User' && relation.endsWith('division')
      ? flagPairs.flatMap((flags) => [[], GROUPS].map((groups) => ({ relation, flags, groups })))
      : [{ relation, flags: NO_FLAGS, groups: [] }],
  );

/** The operator is no user, so no user and no session is their own. */
const isOfOperator = (action: string, { relation }: Target): boolean =>
  relation !== 'self' || cedarActions[action] === 'Chapter' || cedarActions[action] === 'Division';

const casesOf = (action: string, target: Target): readonly DecisionCase[] => [
  ...standings.flatMap((standing) => {
    const one = { standing, hasDivision: true, action, ...target };
    return standing.status === 'active' ? [one, { ...one, hasDivision: false }] : [one];
  }),
  ...(isOfOperator(action, target) ? [{ standing: operatorStanding, hasDivision: true, action, ...target }] : []),
];

/** Returns every combination of standing, action and target. */
export const decisionCases = (actions: readonly string[]): readonly DecisionCase[] =>
  actions.flatMap((action) => targetsOf(action).flatMap((target) => casesOf(action, target)));

/** Returns the stored divisions and users of a case. */
const storedIn = ({ standing, hasDivision, relation, flags, groups }: DecisionCase): Stored => {
  const { status, ...rights } = standing;
  const caller: ModelUser = { ...rights, isActive: status === 'active', divisionId: hasDivision ? OWN : null };
  const divisionId = relation === 'other division' ? OTHER : OWN;
  const isStored = status === 'active' || status === 'inactive';
  const hasTarget = relation === 'same division' || relation === 'other division';
  return {
    divisions: [OWN, OTHER],
    users: {
      // A second Leader, because the compared rules do not include the check that protects the last Leader.
      leader: { ...NO_FLAGS, groups: ['Leader'], isActive: true, divisionId: OWN },
      ...(isStored && { [ACTOR]: caller }),
      ...(hasTarget && { [TARGET]: { ...flags, groups, divisionId, isActive: true } }),
    },
  };
};

const targetIdOf = ({ action, relation }: DecisionCase): string => {
  if (relation === 'absent') return ABSENT;
  if (cedarActions[action] === 'Division') return relation === 'other division' ? OTHER : OWN;
  return relation === 'self' ? ACTOR : TARGET;
};

const callerOf = ({ standing: { status } }: DecisionCase): string | null => {
  if (status === 'operator') return BY_OPERATOR;
  return status === 'anonymous' ? null : ACTOR;
};

/** Returns the outcome of a case by the policies of the contract, for a request with this body. */
export const outcomeByModel = (model: CedarModel, one: DecisionCase, body: Body = {}): string => {
  const request = { caller: callerOf(one), action: one.action, target: targetIdOf(one) };
  return expectedOutcome(model, storedIn(one), { ...request, body, currentPassword: PASSWORD });
};

/** Returns whether policies allow a case. Works also for policies that do not distinguish refusals, as in the specification. */
export const isAllowedByModel = (model: CedarModel, one: DecisionCase): boolean =>
  expectedDecision(model, storedIn(one), { caller: callerOf(one), action: one.action, target: targetIdOf(one) });

const known = new Map<string, string>();

/** Returns the outcome of an action by the policies of the contract, fast for a repeated question. */
export const contractOutcome = (
  standing: Standing,
  action: string,
  relation: Relation,
  flags = NO_FLAGS,
  body: Body = {},
): string => {
  const { status, groups, isStaff, isSuperuser } = standing;
  const target = [action, relation, flags.isStaff, flags.isSuperuser];
  const key = [status, groups, isStaff, isSuperuser, ...target, JSON.stringify(body)].join(' ');
  const one = { standing, hasDivision: true, action, relation, flags, groups: [] };
  const outcome = known.get(key) ?? outcomeByModel(contractModel, one, body);
  known.set(key, outcome);
  return outcome;
};

/** Returns the explanation of a case by the service's rules, or by other rules of the same form. */
export const explainCase = (explain: ReturnType<typeof makeExplain<typeof policy>>, one: DecisionCase) => {
  const { action, relation, flags, groups } = one;
  const loaded = callerWithStanding(one.standing);
  const caller = !loaded || isOperator(loaded) || one.hasDivision ? loaded : { ...loaded, divisionId: null };
  // The target of an action on the service always exists. A rule that read a target's groups would find them.
  const target =
    cedarActions[action] === 'Chapter' ? {} : targetOf(relation, flags) && { ...targetOf(relation, flags), groups };
  return explain(caller, action as keyof typeof policy, target as never);
};
