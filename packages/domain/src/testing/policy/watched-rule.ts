import type { Actor } from '../../model/user.ts';
import { isMet } from '../../policy/conditions.ts';
import { type AnyRule, alternativesOf, isScoped, permits } from '../../policy/rules.ts';

/** Returns a view of a value that adds the names of properties that are read or looked for, and `*` if they are listed. */
const watched = (value: object, names: Set<string>) =>
  new Proxy(value, {
    get: (from, name): unknown => names.add(String(name)) && Reflect.get(from, name),
    has: (from, name) => names.add(String(name)) && Reflect.has(from, name),
    getOwnPropertyDescriptor: (from, name) => names.add(String(name)) && Reflect.getOwnPropertyDescriptor(from, name),
    ownKeys: (from) => names.add('*') && Reflect.ownKeys(from),
  }) as never;

/** Returns a rule that decides the same, and adds the names of what its functions read of callers and of targets. */
export const watchedRule = (allows: AnyRule, ofCaller: Set<string>, ofTarget: Set<string>): AnyRule => {
  const parts = alternativesOf(allows).flatMap((each) =>
    isScoped(each)
      ? each.clauses.map((clause) => {
          const part = { ...clause, holds: (actor: object) => clause.holds(watched(actor, ofCaller)) };
          return (actor: Actor, target: object) => isMet(part, actor, target);
        })
      : (actor: Actor, target: object) => each(watched(actor, ofCaller), watched(target, ofTarget)),
  );
  const decide = (actor: Actor, target: object) => parts.some((part) => permits(part, actor, target));
  return Object.assign(decide, { description: allows.description });
};
