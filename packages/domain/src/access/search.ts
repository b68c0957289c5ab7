import { actorOf, isUuid, type User } from '../model/user.ts';
import { type Action, can } from '../policy/authorize.ts';
import { actorsFor, type Scope } from '../policy/conditions.ts';
import { policy, targetKindOf } from '../policy/policy.ts';
import { reachOf } from '../policy/rules.ts';
import { asTarget, type Policy } from '../policy/targets.ts';
import { DIRECTORY_PAGE_SIZE } from '../ports/user-directory.ts';
import {
  type AccessEntity,
  type AccessPorts,
  type AccessQuestion,
  makeEvaluate,
  makeLookUps,
  SERVICE_ID,
  SUBJECT_TYPE,
} from './evaluate.ts';

/** A part of a search. */
export interface AccessPage {
  /** Empty for the first part, or the `next` of the part before. */
  readonly after: string;
  /** The most results. */
  readonly limit: number;
}

/** The results of a part of a search. */
export interface Found<Result> {
  /** The results of this part. */
  readonly results: readonly Result[];
  /** Where the next part starts; null after the last part. A part that is not the last may have no results. */
  readonly next: string | null;
}

/** How many batches of candidates a part of a search reads at most. */
const MAX_BATCHES = 10;

interface Candidate {
  readonly id: string;
}

/** Returns the first candidates after an id, by id: {@link DIRECTORY_PAGE_SIZE} of them, or all if there are fewer. */
type ReadBatch<C> = (after: string) => Promise<readonly C[]>;

const fixed =
  <C extends Candidate>(candidates: readonly C[]): ReadBatch<C> =>
  async (after) =>
    candidates.filter(({ id }) => id > after);

/** Returns the results for the candidates that are accepted. */
const collect = async <C extends Candidate, Result>(
  readBatch: ReadBatch<C>,
  accepts: (candidate: C) => boolean,
  resultOf: (id: string) => Result,
  { after, limit }: AccessPage,
): Promise<Found<Result>> => {
  const ids: string[] = [];
  const found = (next: string | null) => ({ results: ids.slice(0, limit).map(resultOf), next });
  let last = after;
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    const batch = await readBatch(last);
    ids.push(...batch.filter(accepts).map(({ id }) => id));
    if (ids.length > limit) return found(ids[limit - 1] ?? after);
    if (batch.length < DIRECTORY_PAGE_SIZE) return found(null);
    last = batch.at(-1)?.id ?? last;
  }
  return found(last);
};

/**
 * Returns users who include all in a set: those of the division that the set names, or else the user that it names. A set that
 * names both is of one actor or target, whose user is a member of the division.
 */
const usersIn = async ({ directory, users }: AccessPorts, set: Scope): Promise<ReadBatch<User>> => {
  const matches = typeof set === 'string' ? [] : set;
  const ids = matches.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const divisions = matches.filter(({ id }) => typeof id !== 'string').map(({ divisionId }) => divisionId);
  if (set === 'all' || divisions.length > 0) {
    const [divisionId] = divisions;
    return (after) => directory.page(typeof divisionId === 'string' ? divisionId : null, isUuid(after) ? after : null);
  }
  const user = ids[0] === undefined ? null : await users.find(ids[0]);
  return fixed(user ? [user] : []);
};

const entityOf = (type: string) => (id: string) => ({ type, id });

/**
 * Makes the functions that answer questions about rights, for services that ask on their own behalf: they have no caller and
 * check no rights. All read the current rights, with bounded effort.
 */
export const makeAccess = (ports: AccessPorts) => {
  const evaluate = makeEvaluate(ports);
  return {
    evaluate,

    /** Finds the users who may perform an action on a resource, by id. */
    searchSubjects: async (
      {
        action,
        resource,
        subject: { type },
      }: Omit<AccessQuestion, 'subject'> & { readonly subject: { readonly type: string } },
      page: AccessPage,
    ): Promise<Found<AccessEntity>> => {
      const target = await makeLookUps(ports).findTarget(action, resource);
      if ('outcome' in target || type !== SUBJECT_TYPE) return { results: [], next: null };
      const { clauses } = (policy as Policy)[target.action]?.allows ?? {};
      const set = clauses ? actorsFor(clauses, target.target) : 'all';
      const accepts = (user: User): boolean => can(actorOf(user), target.action, target.target);
      return collect(await usersIn(ports, set), accepts, entityOf(type), page);
    },

    /** Finds the resources on which a user may perform an action, by id. */
    searchResources: async (
      {
        action: { name },
        resource: { type },
        subject,
      }: Omit<AccessQuestion, 'resource'> & { readonly resource: { readonly type: string } },
      page: AccessPage,
    ): Promise<Found<AccessEntity>> => {
      const user = await makeLookUps(ports).findSubject(subject);
      if (!user || targetKindOf(name) !== type) return { results: [], next: null };
      const [action, actor] = [name as Action, actorOf(user)];
      const allows = (target: object): boolean => can(actor, action, target as never);
      if (type === 'user') {
        const candidates = await usersIn(ports, reachOf(policy[action].allows, actor));
        return collect(candidates, (each) => allows(asTarget(each)), entityOf(type), page);
      }
      // Every rule about divisions concerns the actor's own.
      const id = type === 'service' ? SERVICE_ID : user.division.id;
      return collect(fixed([{ id }]), () => allows({ divisionId: id }), entityOf(type), page);
    },

    /** Finds the actions that a user may perform on a resource, by name. */
    searchActions: async (
      { resource, subject }: Omit<AccessQuestion, 'action'>,
      page: AccessPage,
    ): Promise<Found<AccessQuestion['action']>> => {
      const names = Object.keys(policy).toSorted();
      const decisions = await evaluate(names.map((name) => ({ subject, action: { name }, resource })));
      const allowed = names.flatMap((id, at) => (decisions[at]?.outcome === 'allowed' ? [{ id }] : []));
      return collect(
        fixed(allowed),
        () => true,
        (name) => ({ name }),
        page,
      );
    },
  };
};

/** The functions that {@link makeAccess} makes. */
export type Access = ReturnType<typeof makeAccess>;
