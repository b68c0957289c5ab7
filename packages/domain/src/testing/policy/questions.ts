import { type Caller, isOperator } from '../../model/user.ts';
import type { Attributes } from '../../policy/attributes.ts';
import { makeExplain, type Outcome } from '../../policy/authorize.ts';
import { alternativesOf, isScoped, rules } from '../../policy/rules.ts';
import type { Policy } from '../../policy/targets.ts';
import {
  type BuiltCaller,
  buildCaller,
  type Choice,
  type Dimension,
  dimensionsOfCallers,
  dimensionsOfTargets,
  literalCode,
  type MoreValues,
  objectCode,
  RIGHTS,
  VARIED,
} from './finite-world.ts';
import { watchedRule } from './watched-rule.ts';

/** Decisions that a question looks for: one of them as an example, and all of them in words. */
export interface Example {
  /** A key of the policy. */
  readonly action: string;
  readonly caller: Caller;
  /** The attributes that the rules of the action read; none for the service itself. */
  readonly target: object;
  /** The outcome by each policy of the question, in their order. */
  readonly outcomes: readonly Outcome[];
  /** Describes all callers and targets with these outcomes that share what matters: "a user in Leader; id not caller.id". */
  readonly who: string;
  /** The builder calls that make the example, and its decision: `makeExplain` makes `explain` of a policy of the question. */
  readonly code: string;
}

/** The place of a value in each dimension. */
type Point = readonly number[];
type Product = readonly Point[];

/** Returns each point with some of these values. The last dimension changes first. */
const pointsIn = (product: Product): readonly Point[] =>
  product.reduce<readonly Point[]>(
    (points, places) => points.flatMap((point) => places.map((place) => point.concat(place))),
    [[]],
  );

const allValues = (dimensions: readonly Dimension[]): Product => dimensions.map(({ choices }) => [...choices.keys()]);

const chosenAt = (dimensions: readonly Dimension[], point: Point) =>
  dimensions.map(({ name, choices }, at) => ({ name, ...(choices[point[at] ?? 0] as Choice) }));

const isEvery = (product: Product, isGiven: (point: Point) => boolean, start: Point = []): boolean =>
  product[start.length]?.every((place) => isEvery(product, isGiven, start.concat(place))) ?? isGiven(start);

/** Extends a point to a product, as long as it contains no other points than those given. Users and the operator stay apart. */
const extendTo = (from: Point, dimensions: readonly Dimension[], isGiven: (point: Point) => boolean): Product => {
  let product: Product = from.map((place) => [place]);
  for (const [at, { choices }] of dimensions.entries()) {
    for (const place of at === 0 ? [] : choices.keys()) {
      if (place === from[at] || !isEvery(product.with(at, [place]), isGiven)) continue;
      product = product.with(at, [...(product[at] ?? []), place]);
    }
  }
  return product;
};

/** Describes a product: nothing of a dimension with all values, and the missing values if these are fewer. */
const describeProduct = (dimensions: readonly Dimension[], product: Product): readonly string[] =>
  dimensions.flatMap((dimension, at) => {
    const { name, choices } = dimension;
    const isIn = choices.map((_, place) => product[at]?.includes(place));
    const [chosen, missing] = [true, false].map((is) => choices.filter((_, place) => isIn[place] === is)) as [[], []];
    if (missing.length === 0) return [];
    const [not, named] = missing.length < chosen.length ? ['not ', missing] : ['', chosen];
    const title = RIGHTS.includes(dimension) ? '' : `${name} `;
    return title + not + named.map(({ code }) => code).join(' or ');
  });

/** A decision of the world. */
interface Case extends BuiltCaller, Pick<Example, 'target' | 'outcomes'> {
  readonly point: Point;
}

/** Whether a question looks for decisions with these outcomes, one by each policy. */
type IsFound = (outcomes: readonly Outcome[], caller: Caller) => boolean;

type Dimensions = readonly [callers: readonly Dimension[], targets: readonly Dimension[]];

/** Calls a function with each caller and target, and with null for each point that has none. */
const forEachCase = (
  [callers, targets]: Dimensions,
  call: (point: Point, built: BuiltCaller, target: object | null) => void,
): void => {
  const places = pointsIn(allValues(targets)).map((at) => ({ at, chosen: chosenAt(targets, at) }));
  for (const callerAt of pointsIn(allValues(callers))) {
    const built = buildCaller(Object.fromEntries(chosenAt(callers, callerAt).map(({ name, of }) => [name, of({})[0]])));
    const properties = { ...built.caller };
    // The operator has no rights, so only one point is theirs.
    const isNone = isOperator(built.caller) && callerAt.some((place, dimension) => place > 0 && dimension > 0);
    for (const { at, chosen } of places) {
      const target: Record<string, unknown> = {};
      for (const { name, of } of chosen) for (const value of of(properties)) target[name] = value;
      const isWhole = !isNone && Object.keys(target).length === chosen.length;
      call([...callerAt, ...at], built, isWhole ? target : null);
    }
  }
};

/** Returns an example for each of the products that contain all cases that a question looks for. */
const examplesIn = (
  action: string,
  [callers, targets]: Dimensions,
  decide: (caller: Caller, target: object) => readonly Outcome[],
  isFound: IsFound,
): readonly Example[] => {
  const sizes = [...callers, ...targets].map(({ choices }) => choices.length);
  const keyOf = (point: Point): number => point.reduce((key, place, at) => key * (sizes[at] ?? 0) + place, 0);
  const casesByOutcomes = new Map<string, Map<number, Case>>();
  const emptyPoints = new Set<number>();
  forEachCase([callers, targets], (point, built, target) => {
    const outcomes = target ? decide(built.caller, target) : [];
    if (!target) emptyPoints.add(keyOf(point));
    if (!target || !isFound(outcomes, built.caller)) return;
    const cases = casesByOutcomes.get(outcomes.join()) ?? new Map<number, Case>();
    casesByOutcomes.set(outcomes.join(), cases.set(keyOf(point), { ...built, point, target, outcomes }));
  });
  return [...casesByOutcomes.values()].flatMap((cases) => {
    const isGiven = (one: Point) => cases.has(keyOf(one)) || emptyPoints.has(keyOf(one));
    const rest = new Set(cases.keys());
    return [...cases].flatMap(([key, { point }]): readonly Example[] => {
      if (!rest.has(key)) return [];
      const product = extendTo(point, [...callers, ...targets], isGiven);
      const inside = pointsIn(product).flatMap((one) => cases.get(keyOf(one)) ?? []);
      for (const one of inside) rest.delete(keyOf(one.point));
      const shown = inside.reduce((best, one) => (one.code.length < best.code.length ? one : best));
      const codes = chosenAt(targets, shown.point.slice(callers.length)).map(({ name, code }) => [name, code] as const);
      const others = new Set(codes.flatMap(([, code]) => /^other\d*(?=\.)/.exec(code) ?? []));
      const lines = [
        `const caller = ${shown.code};`,
        ...Array.from(others, (name) => `const ${name} = aUser();`),
        `explain(caller, ${literalCode(action)}, ${objectCode(codes)});`,
      ];
      const who = [
        describeProduct(callers, product).join(' '),
        describeProduct(targets, product.slice(callers.length)).join(', '),
      ];
      const { caller, target, outcomes } = shown;
      return [{ action, caller, target, outcomes, who: who.filter(Boolean).join('; '), code: lines.join('\n') }];
    });
  });
};

/** Returns examples of the decisions about an action that a question looks for. A policy without the action denies it. */
const examplesOf = (action: string, policies: readonly Policy[], isFound: IsFound, more: MoreValues) => {
  const known = policies.flatMap((rows) => (Object.hasOwn(rows, action) ? [rows[action] as Policy[string]] : []));
  const allRules = known.flatMap(({ allows, canSee }) => [allows, canSee]);
  const clauses = allRules.flatMap(alternativesOf).flatMap((each) => each.clauses ?? []);
  const hasFunction = !allRules.every(isScoped);
  // Readers of targets need the same attributes.
  const isNeeded = ([name]: readonly [string, unknown]) =>
    hasFunction || clauses.some(({ equalities }) => equalities.some(({ attribute }) => attribute === name));
  const kinds = Object.assign({}, ...known.map(({ readTarget }) => readTarget.attributes)) as Attributes;
  const attributes = Object.entries(kinds).filter(isNeeded);
  const callers = dimensionsOfCallers({ attributes, clauses, more });
  const targets = dimensionsOfTargets({ attributes, clauses, hasFunction, more });
  const [ofCaller, ofTarget] = [new Set<string>(), new Set<string>()];
  const explains = policies.map((rows) => {
    const denied = { ...(known[0] as Policy[string]), allows: rules.noUser, allowsOperator: false };
    const row = Object.hasOwn(rows, action) ? (rows[action] as Policy[string]) : denied;
    const [allows, canSee] = [row.allows, row.canSee].map((each) => watchedRule(each, ofCaller, ofTarget));
    return makeExplain({ [action]: { ...row, allows, canSee } as Policy[string] });
  });
  const decide = (caller: Caller, target: object) =>
    explains.map((explain) => explain(caller as never, action, target as never).outcome);
  const examples = examplesIn(action, [callers, targets], decide, isFound);
  for (const name of VARIED) ofCaller.delete(name);
  for (const { isComplete, name } of targets) if (isComplete) ofTarget.delete(name);
  const read = [
    ...Array.from(ofCaller, (name) => `caller.${name}`),
    ...Array.from(ofTarget, (name) => `target.${name}`),
  ];
  const unknown = read.filter((name) => !Object.hasOwn(more, name));
  if (unknown.length === 0) return examples;
  throw new TypeError(`a rule of ${action} reads ${unknown.join(' and ')}: name values to try as the last argument`);
};

const ask = (policies: readonly Policy[], isFound: IsFound, more: MoreValues = {}): readonly Example[] =>
  [...new Set(policies.flatMap((rows) => Object.keys(rows)))].flatMap((action) =>
    examplesOf(action, policies, isFound, more),
  );

/**
 * Returns who gains and who loses what by a change of a policy: an example of each set of decisions with other
 * outcomes. An action that a policy does not have is denied by it.
 *
 * This and the other questions are exact, because they decide every case of a finite world. Its callers are the operator, and active
 * users with each set of groups, with and without each flag and a division; every policy denies all others. Properties of callers that
 * conditions name, with their ids, equal each other and the constants of conditions, or differ, in every combination. Targets have each
 * value that conditions distinguish. For functions, they have both values of booleans, and ids that equal each other and those of
 * the caller, or differ, in every combination; a written value is an id in either case, another text, null or anything. This suffices
 * for pure rules whose functions compare ids only with each other. Others need values to try: `{ 'caller.username': ['ada', 'bob'] }`
 * for a function that reads names, `{ 'caller.id': [FOUNDER_ID] }` for one with a constant, which a question cannot notice.
 * The id of a user and that of a division differ.
 *
 * @throws TypeError if a rule reads a property or an attribute whose values are not known, or lists the properties.
 */
export const decisionDiff = (before: Policy, after: Policy, more?: MoreValues): readonly Example[] =>
  ask([before, after], ([one, other]) => one !== other, more);

/** Returns null if both policies decide the same, and otherwise the first example of {@link decisionDiff}. */
export const equivalent = (one: Policy, other: Policy, more?: MoreValues): Example | null =>
  decisionDiff(one, other, more)[0] ?? null;

/** Returns what only the first policy allows; null if the second one allows everything that the first one allows. */
export const implies = (one: Policy, other: Policy, more?: MoreValues): Example | null =>
  ask([one, other], ([first, second]) => first === 'allowed' && second !== 'allowed', more)[0] ?? null;

/** Returns null if the policies allow nothing in common, and otherwise what both allow. */
export const disjoint = (one: Policy, other: Policy, more?: MoreValues): Example | null =>
  ask([one, other], (outcomes) => outcomes.every((outcome) => outcome === 'allowed'), more)[0] ?? null;

/** Returns null if each active user may perform each action on each target, and otherwise what one may not. */
export const alwaysAllows = (policy: Policy, more?: MoreValues): Example | null =>
  ask([policy], ([outcome], caller) => outcome !== 'allowed' && !isOperator(caller), more)[0] ?? null;

/** Returns null if no user may perform any action, nor the operator, and otherwise what one may. */
export const alwaysDenies = (policy: Policy, more?: MoreValues): Example | null =>
  ask([policy], ([outcome]) => outcome === 'allowed', more)[0] ?? null;

/** Returns who may perform an action on what: an example of each set of callers and targets. Empty for an unknown action. */
export const whoCan = (policy: Policy, action: string, more?: MoreValues): readonly Example[] =>
  Object.hasOwn(policy, action) ? examplesOf(action, [policy], ([outcome]) => outcome === 'allowed', more ?? {}) : [];
