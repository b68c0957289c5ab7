import { actorOf, decideDeletion, decideMove, decideUpdate, OPERATOR, requireErasable } from '@chapter/domain/ports';
import { aDivision, aLeader, decideChange } from '@chapter/domain/testing';
import { refusal } from '../use-cases/setup.ts';
import { lockedUser } from './locked.ts';

describe('The rule that a division with members keeps an active Leader', () => {
  const user = aLeader();
  const { id, name } = aDivision();
  const flags = { user, division: { id, name } };
  const alone = lockedUser({ ...flags, isLastLeader: true });
  const leading = lockedUser({ ...flags, isLastLeader: true, leadsOthersAlone: true });
  const oneOfSeveral = lockedUser(flags);

  type Decide = (locked: typeof alone, force?: boolean) => unknown;
  const demote: Decide = (locked, force) => decideChange(locked, { values: { groups: ['User'] }, force });
  const deactivate: Decide = (locked, force) => decideChange(locked, { values: { isActive: false }, force });
  const move: Decide = (locked, force) => decideMove(OPERATOR, locked, { values: {}, force });
  const remove: Decide = (locked, force) => decideDeletion(OPERATOR, locked, { force });
  const erase: Decide = (locked, force) => requireErasable(OPERATOR, locked, { force });

  const refused: readonly (readonly [string, typeof alone, Decide])[] = [
    ['the erasure of a last Leader who leads others', leading, erase],
    ['the deletion of a last Leader who leads others', leading, remove],
    ['the move of a last Leader who leads others', leading, move],
    ['the demotion of a last Leader who leads others', leading, demote],
    ['the deactivation of a last Leader', leading, deactivate],
    ['the demotion of the only member', alone, demote],
  ];
  for (const [title, locked, decide] of refused) {
    it(`refuses ${title}, unless forced`, async () => {
      await refusal('last_leader', () => decide(locked));
      await refusal('last_leader', () => decide(locked, false));
      decide(locked, true);
    });
  }

  it('refuses users with force too, and also the deletion of the only member', async () => {
    const other = actorOf(aLeader().of(user.division));
    const update = { fields: { isActive: false }, values: { isActive: false }, force: true };
    await refusal('last_leader', () => decideUpdate(other, { ...leading, actor: other }, update));
    await refusal('last_leader', () => decideDeletion(other, { ...alone, actor: other }, { force: true }));
  });

  it('allows changes that leave a Leader or no member', () => {
    for (const decide of [erase, remove, move]) decide(alone);
    decideChange(leading, { values: { firstName: 'Ada' } });
    for (const decide of [erase, remove, move, demote, deactivate]) decide(oneOfSeveral);
  });
});
