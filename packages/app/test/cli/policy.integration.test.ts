import { expect } from 'chai';
import { prepareDemo } from '../../../../test-support/demo-database.ts';
import { DEMO_IDS } from '../../src/database/demo-data.ts';
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
      reason: 'a Leader of the division may do this',
      operator: 'allowed',
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

describe('policy who-can', () => {
  const { chapter } = useOperator(prepareDemo);
  const { divisions, users } = DEMO_IDS;

  it('prints the users who may perform an action, each with the rule that allows it', async () => {
    const { out } = await chapter('policy who-can --action update-user --user guest');
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).to.deep.equal([
      ['USERNAME', 'DIVISION', 'ID', 'RULE'],
      ['guest', 'North', users.guest, 'the user themself'],
      ['leader', 'North', users.leader, 'a Leader of the division'],
      [''],
    ]);
    const { out: json } = await chapter('policy who-can --action listDivisionUsers --division south --json');
    expect(JSON.parse(json)).to.deep.equal([
      {
        id: users['leader.south'],
        username: 'leader.south',
        division: { id: divisions.South, name: 'South' },
        rule: 'a Leader of the division',
      },
    ]);
    const { out: service } = await chapter('policy who-can --action listDivisions');
    expect(service).to.match(/^USERNAME .*\nadmin .* an Administrator\n$/);
    const { out: none } = await chapter('policy who-can --action createPasswordLink --user admin --json');
    expect(none).to.equal('[]\n');
    expect(await chapter('policy who-can --action getUser --username unknown')).to.deep.equal({
      status: 1,
      out: '',
      err: 'There is no user with the name or id unknown.\n',
    });
  });
});
