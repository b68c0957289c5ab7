import { type Actor, GROUP_DESCRIPTIONS, GROUPS, type Group } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';

/** A group as the list shows it. */
export interface DescribedGroup {
  readonly name: Group;
  /** One sentence about the rights of its members. */
  readonly description: string;
}

const described: readonly DescribedGroup[] = GROUPS.map((name) => ({ name, description: GROUP_DESCRIPTIONS[name] }));

/** Lists all groups in their fixed order. @throws DomainError like {@link authorize}. */
export const makeListGroups =
  () =>
  (actor: Actor): readonly DescribedGroup[] => {
    authorize(actor, 'listGroups', {});
    return described;
  };
