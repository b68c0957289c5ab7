import type { UserSetting } from '../commands.ts';
import { endSessions, type Model, type ModelUser } from './state.ts';
import { changesAsText, type Predicted } from './users.ts';

/** Predicts the result of a change of flags or activity by the operator at this moment. */
export const predictSetting = (model: Model, { target, fields }: UserSetting): Predicted<ModelUser> => {
  const before = model.users.get(target);
  if (!before) return { refusal: 'not_found' };
  return {
    apply: () => {
      const after = { ...before, ...fields };
      const hasChanged = (field: keyof UserSetting['fields']): boolean => before[field] !== after[field];
      const changed = (['isActive', 'isStaff', 'isSuperuser'] as const).filter(hasChanged);
      if (!after.isActive) endSessions(model, target);
      if (changed.length === 0) return before;
      const changes = changesAsText(changed.map((field) => [field, after[field]]));
      model.audit.push({ action: 'updateUser', authorId: null, targetId: target, requestId: null, changes });
      if (hasChanged('isStaff') || hasChanged('isSuperuser')) model.links.delete(target);
      const user = { ...after, version: before.version + 1 };
      model.users.set(target, user);
      return user;
    },
  };
};
