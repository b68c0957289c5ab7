import type { Actor } from '../model/user.ts';
import { isStorableText, type Properties, propertyOf } from './attributes.ts';

/** A value that conditions compare. Numbers are safe integers. */
export type Value = string | number | boolean;

/** What an attribute must equal: a constant, or a property of the actor. A property that is null or absent equals nothing. */
export type Operand = Value | null | { readonly actor: string };

/** Attributes of a target, and what each of them must equal. */
export type Match = Readonly<Record<string, Operand>>;

/** A condition on the attributes of a target, as data: a match, or several of which one must hold. */
export type Condition = Match | readonly Match[];

/** An attribute of a target, and what it must equal. */
interface Equality {
  readonly attribute: string;
  readonly operand: Operand;
  /** The property of the actor; null if the operand is a constant. */
  readonly property: string | null;
}

/** Equalities that must all hold, for the actors that fulfil `holds`. */
export interface Clause {
  readonly equalities: readonly Equality[];
  /** Whether the clause applies to an actor. */
  readonly holds: (actor: never) => boolean;
}

/** Attributes with the values that a target must have. */
export type ScopeMatch = Readonly<Record<string, Value | null>>;

/** A set of targets, as data: none, all, or those with the attributes of one of the matches. */
export type Scope = 'none' | 'all' | readonly ScopeMatch[];

/** The most equalities that a rule has, so that decisions and conditions in SQL are bounded. */
const MAX_EQUALITIES = 100;

const isValue = (value: unknown): value is Value =>
  typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);

const equalityOf = ([attribute, operand]: [string, Operand]): Equality => {
  const property = typeof operand === 'object' && operand !== null ? operand.actor : null;
  if (property === null ? operand !== null && !isValue(operand) : typeof property !== 'string') {
    throw new TypeError(`${attribute} must equal a string, a safe integer, a boolean, null or { actor: PROPERTY }`);
  }
  return Object.freeze({ attribute, operand: Object.freeze(operand), property });
};

/** Returns the clauses of a condition. @throws TypeError for an operand of another type; RangeError for too many equalities. */
export const clausesOf = (condition: Condition, holds: Clause['holds']): readonly Clause[] =>
  boundedClauses(
    [condition].flat().map((match: Match) => ({ equalities: Object.entries(match).map(equalityOf), holds })),
  );

/** Freezes clauses. @throws RangeError if they have too many equalities. */
export const boundedClauses = (clauses: readonly Clause[]): readonly Clause[] => {
  if (clauses.flatMap(({ equalities }) => equalities).length > MAX_EQUALITIES) {
    throw new RangeError(`a rule has at most ${MAX_EQUALITIES} equalities`);
  }
  for (const { equalities, holds } of clauses) [equalities, holds].forEach(Object.freeze);
  return Object.freeze(clauses.map((clause) => Object.freeze(clause)));
};

/** Whether a clause allows a target to an actor. Throws if `holds` throws. */
export const isMet = ({ equalities, holds }: Clause, actor: Actor, target: object): boolean => {
  // An iterator would take as long as the comparisons.
  for (let at = 0; at < equalities.length; at++) {
    const { attribute, operand, property } = equalities[at] as Equality;
    const value = property === null ? operand : propertyOf(actor, property);
    if (propertyOf(target, attribute) !== value || (property !== null && !isValue(value))) return false;
  }
  return (holds(actor as never) as unknown) === true;
};

/** Returns the values that the equalities of a clause need; null if no target has them. */
const matchOf = ({ equalities }: Clause, actor: Actor): ScopeMatch | null => {
  const match: Record<string, Value | null> = {};
  for (const { attribute, operand, property } of equalities) {
    const value = property === null ? operand : propertyOf(actor, property);
    if (!(isValue(value) || (value === null && property === null))) return null;
    if (typeof value === 'string' && !isStorableText(value)) return null;
    if (Object.hasOwn(match, attribute) && match[attribute] !== value) return null;
    match[attribute] = value;
  }
  return match;
};

const scopeOfMatches = (matches: readonly (ScopeMatch | null)[]): Scope => {
  const found = new Map(matches.flatMap((match) => (match ? [[JSON.stringify(match), match]] : [])));
  if (found.has('{}')) return 'all';
  return found.size === 0 ? 'none' : [...found.values()];
};

/** Returns the scope of an actor by clauses. */
export const scopeOf = (clauses: readonly Clause[], actor: Actor): Scope =>
  scopeOfMatches(clauses.map((clause) => matchOf(clause, actor)));

/** Returns a set of actors, who include all that can meet one of the clauses with a target, regardless of `holds`. */
export const actorsFor = (clauses: readonly Clause[], target: object): Scope => {
  const values = target as Properties;
  return scopeOfMatches(
    clauses.map(({ equalities }) => {
      const match: Record<string, Value> = {};
      for (const { attribute, operand, property } of equalities) {
        const value = values[attribute];
        if (property === null ? value !== operand : !isValue(value)) return null;
        if (property !== null) match[property] = value as Value;
      }
      return match;
    }),
  );
};

/** How to write each part of a scope, for example as SQL. */
export interface ScopeWriter<Part> {
  /** The condition of all targets. */
  readonly all: Part;
  /** The condition of no target. */
  readonly none: Part;
  /** Compares an attribute with a value, which may be null. */
  readonly equals: (attribute: string, value: Value | null) => Part;
  /** Joins two parts or more. */
  readonly and: (parts: readonly Part[]) => Part;
  /** Joins two parts or more. */
  readonly or: (parts: readonly Part[]) => Part;
}

const joinParts = <Part>(parts: readonly Part[], join: (parts: readonly Part[]) => Part): Part =>
  parts.length === 1 ? (parts[0] as Part) : join(parts);

/** Writes a scope in another form. @throws TypeError for a value that is not a scope. */
export const writeScope = <Part>(scope: Scope, { all, none, equals, and, or }: ScopeWriter<Part>): Part => {
  if (scope === 'all') return all;
  if (scope === 'none') return none;
  if (!isMatches(scope))
    throw new TypeError('not a scope: expected "none", "all" or an array of attributes with values');
  const matches = scope.map((match) =>
    joinParts(
      Object.entries(match).map(([name, value]) => equals(name, value)),
      and,
    ),
  );
  return matches.length === 0 ? none : joinParts(matches, or);
};

/** Whether a value has the form of a scope's matches. An empty match would contain every target. */
const isMatches = (value: unknown): value is readonly ScopeMatch[] => {
  if (!Array.isArray(value) || value.length > MAX_EQUALITIES) return false;
  const matches = value.map((match: unknown) => Object.values(match ?? {}) as readonly unknown[]);
  const all = matches.flat();
  return (
    all.length <= MAX_EQUALITIES &&
    matches.every(({ length }) => length > 0) &&
    all.every((one) => one === null || isValue(one))
  );
};

/** Whether a scope contains a target, which is not checked to be well-formed as in `can`. A malformed scope is empty. */
export const isInScope = (scope: Scope, target: object): boolean =>
  scope === 'all' ||
  (isMatches(scope) &&
    scope.some((match) => Object.entries(match).every(([name, value]) => (target as ScopeMatch)[name] === value)));
