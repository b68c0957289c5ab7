import { actorOf, parseUuid, type User } from '../model/user.ts';
import { type Action, type Decision, explain, type Outcome } from '../policy/authorize.ts';
import { targetKindOf } from '../policy/policy.ts';
import { asTarget } from '../policy/targets.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import type { UserDirectory } from '../ports/user-directory.ts';
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

/** The ports with which questions are answered. */
export interface AccessPorts {
  readonly users: Pick<UserRepository, 'find'>;
  readonly divisions: Pick<DivisionRepository, 'find'>;
  readonly directory: Pick<UserDirectory, 'page'>;
}

/** The only type of subjects. */
export const SUBJECT_TYPE = 'user';

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
export const makeLookUps = ({ divisions, users }: AccessPorts) => {
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

/** Makes a function that decides questions by the current rights of their subjects. */
export const makeEvaluate =
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
