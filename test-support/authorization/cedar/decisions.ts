import type { Actor, makeExplain, policy } from '../../../packages/domain/src/index.ts';
import { RELATIONS, type Relation, type Standing } from '../oracle.ts';
import { ABSENT, actorWithStanding, flagPairs, groupSubsets, OTHER, OWN, standings, targetOf } from '../states.ts';
import { type CedarModel, cedarActions } from './model.ts';
import { expectedDecision, expectedOutcome, type ModelUser, type Stored } from './outcome.ts';

/** A decision to compare: caller, action and target. `hasDivision` is false if the caller's division no longer exists. */
export interface DecisionCase {
  readonly standing: Standing;
  readonly hasDivision: boolean;
  readonly action: string;
  readonly relation: Relation;
  readonly flags: (typeof flagPairs)[number];
  readonly groups: (typeof groupSubsets)[number];
}

const ACTOR = targetOf('self')?.id ?? '';
const TARGET = targetOf('same division')?.id ?? '';
const NO_FLAGS = { isStaff: false, isSuperuser: false };

type Target = Pick<DecisionCase, 'relation' | 'flags' | 'groups'>;

/** Returns the targets of an action. Users differ in flags and groups; divisions and the service do not. */
const targetsOf = (action: string): readonly Target[] => {
  const plain = RELATIONS.map((relation): Target => ({ relation, flags: NO_FLAGS, groups: [] }));
  if (cedarActions[action] !== 'User') return plain;
  return plain.flatMap(({ relation, ...rest }): readonly Target[] =>
    relation === 'absent' || relation === 'self'
      ? [{ relation, ...rest }]
      : flagPairs.flatMap((flags) => groupSubsets.map((groups) => ({ relation, flags, groups }))),
  );
};

const casesOf = (action: string, target: Target): readonly DecisionCase[] =>
  standings.flatMap((standing) => {
    const one = { standing, hasDivision: true, action, ...target };
    return standing.status === 'active' ? [one, { ...one, hasDivision: false }] : [one];
  });

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

const callerOf = (one: DecisionCase): string | null => (one.standing.status === 'anonymous' ? null : ACTOR);

/** Returns the outcome of a case by the policies of the contract. */
export const outcomeByModel = (model: CedarModel, one: DecisionCase): string =>
  expectedOutcome(model, storedIn(one), { caller: callerOf(one), action: one.action, target: targetIdOf(one) });

/** Returns whether policies allow a case. Works also for policies that do not distinguish refusals, as in the specification. */
export const isAllowedByModel = (model: CedarModel, one: DecisionCase): boolean =>
  expectedDecision(model, storedIn(one), { caller: callerOf(one), action: one.action, target: targetIdOf(one) });

/** Returns the outcome of a case by the service's rules, or by other rules of the same form. */
export const outcomeByRules = (explain: ReturnType<typeof makeExplain<typeof policy>>, one: DecisionCase): string => {
  const { action, relation, flags, groups } = one;
  const loaded = actorWithStanding(one.standing);
  const actor: Actor | null = loaded && { ...loaded, divisionId: one.hasDivision ? loaded.divisionId : null };
  // The target of an action on the service always exists. No rule depends on a target's groups.
  const target =
    cedarActions[action] === 'Chapter' ? {} : targetOf(relation, flags) && { ...targetOf(relation, flags), groups };
  return explain(actor, action as keyof typeof policy, target as never).outcome;
};
