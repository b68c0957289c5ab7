import { expect } from 'chai';
import { ABSENT_ID, useOperator, withMembers } from './operator.ts';

describe('chapter policy explain', () => {
  const { chapter, fault, json } = useOperator(withMembers);

  it('says why a user may or may not perform an action', async () => {
    const explain = (args: string) => json(`policy explain ${args}`);
    expect(await explain('--as ada --action update-user --username gus')).to.deep.equal({
      as: 'ada',
      action: 'updateUser',
      outcome: 'allowed',
      rule: 'the user themself or a Leader of the division',
      reason: 'the user themself or a Leader of the division may do this',
      operator: 'allowed',
    });
    const move = { outcome: 'forbidden', reason: 'only the operator may do this', operator: 'allowed' };
    expect(await explain('--as ada --action move-user --user ada')).to.include(move);
    expect(await explain('--as ada --action createUser')).to.include({ outcome: 'allowed' });
    expect(await explain('--as ada --action listDivisions')).to.include({
      outcome: 'allowed',
      rule: 'an Administrator',
    });
    expect(await explain('--as gus --action getInfo')).to.include({ outcome: 'unauthenticated' });
    const [, south] = await json<{ id: string }[]>('divisions list');
    for (const named of [south?.id, 'SOUTH']) {
      expect(await explain(`--as ada --action getDivision --division ${named}`)).to.include({ outcome: 'forbidden' });
    }
    expect(await fault(`policy explain --as ada --action getDivision --division ${ABSENT_ID}`)).to.include(
      'no division',
    );
    expect((await chapter('policy explain --as ada --action getInfo')).out).to.match(/^outcome +allowed$/m);
  });
});
