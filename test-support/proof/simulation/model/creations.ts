import type { CommandOf } from '../commands.ts';
import { refusalOfCreation } from './rights.ts';
import type { Model, ModelCreation, ModelUser } from './state.ts';
import { type By, changesAsText, type Predicted, takenCode } from './users.ts';

/** The lifetime of an idempotency key (contract §7). */
const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** The result of a creation: a new user, or the earlier creation under its idempotency key. */
export interface PredictedCreation {
  readonly user: ModelUser;
  /** The body without the password, as text. */
  readonly request: string;
  readonly earlier: ModelCreation | undefined;
  /** Whether the user of the earlier creation still has the same stored hash. */
  readonly hasFirstPassword: boolean;
}

/** Predicts the result of a creation at this moment. */
export const predictCreation = (
  model: Model,
  { actorId, requestId }: By,
  { fields, key }: CommandOf<'createUser'>,
  given: Pick<ModelUser, 'id' | 'hash' | 'divisionId'>,
  now: number,
): Predicted<PredictedCreation> & { readonly earlier?: ModelCreation } => {
  const user: ModelUser = {
    email: null,
    firstName: '',
    groups: ['User'],
    isActive: true,
    isStaff: false,
    isSuperuser: false,
    version: 1,
    ...fields,
    ...given,
  };
  const { username, email, firstName, groups, isActive, divisionId } = user;
  const request = JSON.stringify([username, email, firstName, groups, isActive, divisionId]);
  const name = `${actorId} ${key}`;
  const denied = refusalOfCreation(model.users.get(actorId), divisionId);
  if (denied) return { refusal: denied };
  const known = key === undefined ? undefined : model.creations.get(name);
  const earlier = known && known.at + KEY_LIFETIME_MS > now ? known : undefined;
  if (earlier) {
    const { user: first } = earlier;
    const hasFirstPassword = model.users.get(first.id)?.hash === first.hash;
    return { earlier, apply: () => ({ user: first, request, earlier, hasFirstPassword }) };
  }
  const conflict = takenCode(model, user);
  if (conflict) return { refusal: conflict };
  return {
    apply: () => {
      model.users.set(user.id, user);
      if (key !== undefined) model.creations.set(name, { request, user, at: now });
      const changes = changesAsText([['username', username]]);
      model.audit.push({ action: 'createUser', authorId: actorId, targetId: user.id, requestId, changes });
      return { user, request, earlier: undefined, hasFirstPassword: true };
    },
  };
};

/** Returns whether an earlier creation had another body. A password that was changed since is not compared. */
export const isOtherCreation = ({ request, earlier, hasFirstPassword }: PredictedCreation, password: string): boolean =>
  earlier !== undefined && (earlier.request !== request || (hasFirstPassword && earlier.user.password !== password));
