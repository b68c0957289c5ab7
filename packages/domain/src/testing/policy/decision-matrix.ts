import type { Actor } from '../../model/user.ts';
import { type Decision, makeExplain } from '../../policy/authorize.ts';
import type { Policy, PolicyRow } from '../../policy/targets.ts';

/** Values by name. A null actor is an unauthenticated caller; a null target does not exist. */
export type Named<Value> = Readonly<Record<string, Value | null>>;

/** A decision with the names of its actor and target. */
export interface NamedDecision {
  /** The name of the row. */
  readonly action: string;
  /** The name of the actor. */
  readonly actor: string;
  /** The name of the target. */
  readonly target: string;
  readonly decision: Decision;
}

/** Returns the decisions of a policy's rows for all actors and targets, ordered by action, target and actor. */
export const decisionsOf = <Target>(
  rows: Readonly<Record<string, PolicyRow<Target>>>,
  actors: Named<Actor>,
  targets: Named<Target>,
): readonly NamedDecision[] => {
  // The signature of this function checks the types of actors and targets.
  const explain = makeExplain(rows as Policy);
  return Object.keys(rows).flatMap((action) =>
    Object.entries(targets).flatMap(([target, resource]) =>
      Object.entries(actors).map(([actor, caller]) => ({
        action,
        actor,
        target,
        decision: explain(caller as never, action, resource as never),
      })),
    ),
  );
};

/** Formats the decisions of {@link decisionsOf} as a text table: a line per action and target, a column per actor. */
export const decisionMatrix = <Target>(
  rows: Readonly<Record<string, PolicyRow<Target>>>,
  actors: Named<Actor>,
  targets: Named<Target>,
): string => {
  const decisions = decisionsOf(rows, actors, targets);
  const outcomes = (action: string, target: string): readonly string[] =>
    decisions
      .filter((named) => named.action === action && named.target === target)
      .map(({ decision }) => decision.outcome);
  return alignColumns([
    ['action', 'target', ...Object.keys(actors)],
    ...Object.keys(rows).flatMap((action) =>
      Object.keys(targets).map((target) => [action, target].concat(outcomes(action, target))),
    ),
  ]);
};

const alignColumns = (lines: readonly (readonly string[])[]): string => {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
};
