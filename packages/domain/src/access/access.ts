import { actorOf, isUuid, parseUuid, type User } from '../model/user.ts';
import { type Action, can, type Decision, explain, type Outcome } from '../policy/authorize.ts';
import { actorsFor, type Scope } from '../policy/conditions.ts';
import { policy, targetKindOf } from '../policy/policy.ts';
import { reachOf } from '../policy/rules.ts';
import { asTarget, type Policy } from '../policy/targets.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import { DIRECTORY_PAGE_SIZE, type UserDirectory } from '../ports/user-directory.ts';
import type { UserRepository } from '../ports/user-repository.ts';

/** A subject or resource: a user or a division by its UUID, or the service as {@link SERVICE_ID}. */
export interface AccessEntity {
  /** `user`, `division` or `service`. */
  readonly type: string;
  /** A UUID, or {@link SERVICE_ID}. */
  readonly id: string;
}

/** May the subject perform the action on the resource? Neither needs to exist. */
export interface AccessQuestion {
  readonly subject: AccessEntity;
  /** The name of a row of the policy. */
  readonly action: { readonly name: string };
  readonly resource: AccessEntity;
}

/** A question about all subjects or resources of a type. */
type OpenQuestion<Name extends 'subject' | 'resource'> = Omit<AccessQuestion, Name> & {
  readonly [_ in Name]: Pick<AccessEntity, 'type'>;
};

interface AccessPorts {
  readonly users: Pick<UserRepository, 'find'>;
  readonly divisions: Pick<DivisionRepository, 'find'>;
  readonly directory: Pick<UserDirectory, 'page'>;
}

/** The only type of subjects. */
const SUBJECT_TYPE = 'user';

/** The id of the service itself, the only resource of type `service`. */
export const SERVICE_ID = 'chapter';

const denied = (outcome: Outcome, reason: string): Decision => ({ outcome, rule: 'no one', reason });

/** Makes a look-up by id, in upper or lower case, that finds each id once. */
const once = <T>(find: (id: string) => Promise<T | null>) => {
  const found = new Map<string, Promise<T | null>>();
  return (sentId: string): Promise<T | null> => {
    const id = parseUuid(sentId) ?? sentId;
    const finding = found.get(id) ?? find(id);
    found.set(id, finding);
    return finding;
  };
};

/** Makes the look-ups of one request, which reads each user and division once and decides everything on that. */
const makeLookUps = ({ divisions, users }: AccessPorts) => {
  const findUser = once((id) => users.find(id));
  const findDivision = once((id) => divisions.find(id));
  const findTarget = async ({ id, type }: AccessEntity): Promise<object | null> => {
    if (type === 'service') return id === SERVICE_ID ? {} : null;
    const found = type === 'user' ? await findUser(id) : await findDivision(id);
    if (!found) return null;
    return 'division' in found ? asTarget(found) : { divisionId: found.id };
  };
  return {
    findSubject: async ({ id, type }: AccessEntity): Promise<User | null> =>
      type === SUBJECT_TYPE ? findUser(id) : null,

    /** Returns the action and its target for `can`, or the decision that denies the action on the resource to every subject. */
    findTarget: async (
      { name }: AccessQuestion['action'],
      resource: AccessEntity,
    ): Promise<{ readonly action: Action; readonly target: never } | Decision> => {
      const type = targetKindOf(name);
      if (!type) return denied('forbidden', 'the action does not exist');
      if (resource.type !== type) return denied('not_found', `the action needs a resource of the type ${type}`);
      const target = await findTarget(resource);
      return target
        ? { action: name as Action, target: target as never }
        : denied('not_found', 'the resource does not exist');
    },
  };
};

const makeEvaluate =
  (ports: AccessPorts) =>
  (questions: readonly AccessQuestion[]): Promise<readonly Decision[]> => {
    const { findSubject, findTarget } = makeLookUps(ports);
    return Promise.all(
      questions.map(async ({ action, resource, subject }) => {
        const [user, found] = await Promise.all([findSubject(subject), findTarget(action, resource)]);
        if (!user) return denied('unauthenticated', 'the subject does not exist');
        return 'outcome' in found ? found : explain(actorOf(user), found.action, found.target);
      }),
    );
  };

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
 * Returns users who include all in a set: those of the division that the set names, or else the user that it names. A
 * set that names both is of one actor or target, whose user is a member of the division.
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
const actionOf = (name: string) => ({ name });

/**
 * Makes the functions that answer questions about rights, for services that ask on their own behalf: they have no
 * caller and check no rights. All read the current rights, with bounded effort.
 */
export const makeAccess = (ports: AccessPorts) => {
  const evaluate = makeEvaluate(ports);
  return {
    evaluate,

    /** Finds the users who may perform an action on a resource, by id. */
    searchSubjects: async (asked: OpenQuestion<'subject'>, page: AccessPage): Promise<Found<AccessEntity>> => {
      const { type } = asked.subject;
      const target = await makeLookUps(ports).findTarget(asked.action, asked.resource);
      if ('outcome' in target || type !== SUBJECT_TYPE) return { results: [], next: null };
      const { clauses } = (policy as Policy)[target.action]?.allows ?? {};
      const set = clauses ? actorsFor(clauses, target.target) : 'all';
      const accepts = (user: User): boolean => can(actorOf(user), target.action, target.target);
      return collect(await usersIn(ports, set), accepts, entityOf(type), page);
    },

    /** Finds the resources on which a user may perform an action, by id. */
    searchResources: async (asked: OpenQuestion<'resource'>, page: AccessPage): Promise<Found<AccessEntity>> => {
      const { type } = asked.resource;
      const user = await makeLookUps(ports).findSubject(asked.subject);
      if (!user || targetKindOf(asked.action.name) !== type) return { results: [], next: null };
      const [action, actor] = [asked.action.name as Action, actorOf(user)];
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
      return collect(fixed(allowed), () => true, actionOf, page);
    },
  };
};

/** The functions that {@link makeAccess} makes. */
export type Access = ReturnType<typeof makeAccess>;
