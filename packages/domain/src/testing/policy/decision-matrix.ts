import type { Actor } from '../../model/user.ts';
import { type Decision, makeExplain } from '../../policy/authorize.ts';
import type { Policy, PolicyRow } from '../../policy/rules.ts';

/** Values by the names that a matrix gives them. A null actor is nobody; a null target is one that is not there. */
export type Named<Value> = Readonly<Record<string, Value | null>>;

/** One decision, with the names of what it was about. */
export interface NamedDecision {
  readonly action: string;
  readonly actor: string;
  readonly target: string;
  readonly decision: Decision;
}

/** Every decision of a policy's rows over these actors and targets: action by action, target by target, actor by actor. */
export const decisionsOf = <Target>(
  rows: Readonly<Record<string, PolicyRow<Target>>>,
  actors: Named<Actor>,
  targets: Named<Target>,
): readonly NamedDecision[] => {
  // What a row takes is checked by this function's own signature.
  const explain = makeExplain(rows as Policy);
  return Object.keys(rows).flatMap((action) =>
    Object.entries(targets).flatMap(([target, at]) =>
      Object.entries(actors).map(([actor, who]) => ({
        action,
        actor,
        target,
        decision: explain(who, action, at as never),
      })),
    ),
  );
};

/** The decisions of {@link decisionsOf} as a text table: a line an action and target, a column an actor. */
export const decisionMatrix = <Target>(
  rows: Readonly<Record<string, PolicyRow<Target>>>,
  actors: Named<Actor>,
  targets: Named<Target>,
): string => {
  const decisions = decisionsOf(rows, actors, targets);
  const outcomes = (action: string, target: string): readonly string[] =>
    decisions.filter((one) => one.action === action && one.target === target).map(({ decision }) => decision.outcome);
  return inColumns([
    ['action', 'target', ...Object.keys(actors)],
    ...Object.keys(rows).flatMap((action) =>
      Object.keys(targets).map((target) => [action, target].concat(outcomes(action, target))),
    ),
  ]);
};

const inColumns = (lines: readonly (readonly string[])[]): string => {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
};
