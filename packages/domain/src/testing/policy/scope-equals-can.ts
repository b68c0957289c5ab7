import type { Attributes } from '../../policy/attributes.ts';
import { type CallerIn, makeCan, makeScope } from '../../policy/authorize.ts';
import { type Clause, isInScope, type Scope } from '../../policy/conditions.ts';
import { isScoped } from '../../policy/rules.ts';
import type { Policy } from '../../policy/targets.ts';
import { expectEqual } from '../contracts/expect.ts';
import type { Named } from './decision-matrix.ts';
import { dimensionsOfTargets } from './finite-world.ts';

/**
 * Returns all targets that clauses distinguish: each attribute has each value that an equality compares it with for one
 * of the actors, and one that no equality names.
 */
export const targetsOf = (
  attributes: Attributes,
  clauses: readonly Clause[],
  actors: readonly (object | null)[],
): readonly object[] => {
  let targets: readonly object[] = [{}];
  for (const { name, choices } of dimensionsOfTargets({ attributes: Object.entries(attributes), clauses })) {
    const values = new Set(choices.flatMap(({ of }) => actors.flatMap((actor) => of({ ...actor }))));
    targets = targets.flatMap((target) => [...values].map((value) => Object.assign({ [name]: value }, target)));
  }
  return targets;
};

/**
 * Checks for each scoped action of a policy that the scope of each actor contains exactly the targets that the policy
 * allows, among all targets that its conditions distinguish. Returns how many decisions were compared.
 *
 * @throws Error with the action, the actor and the target that differ; if no action is scoped, or the actors may perform none of them.
 */
export const expectScopeEqualsCan = <P extends Policy>(rows: P, actors: Named<CallerIn<P>>): number => {
  const [can, scope] = [makeCan(rows), makeScope(rows)];
  let [compared, isAnyAllowed] = [0, false];
  for (const [action, { allows, canSee, readTarget }] of Object.entries<Policy[string]>(rows)) {
    if (!isScoped(allows)) continue;
    const targets = targetsOf(
      readTarget.attributes,
      [...allows.clauses, ...(canSee.clauses ?? [])],
      Object.values(actors),
    );
    for (const [name, actor] of Object.entries(actors)) {
      const found = JSON.parse(JSON.stringify(scope(actor, action as never))) as Scope;
      for (const target of targets) {
        const shown = `${action}, ${name}, ${JSON.stringify(target)}`;
        const isAllowed = can(actor, action, target as never);
        expectEqual(isInScope(found, target), isAllowed, shown);
        compared += 1;
        isAnyAllowed ||= isAllowed;
      }
    }
  }
  if (compared === 0) throw new Error('no action of the policy has a scope');
  if (!isAnyAllowed) throw new Error('the actors may perform no action that has a scope: name one who may');
  return compared;
};
