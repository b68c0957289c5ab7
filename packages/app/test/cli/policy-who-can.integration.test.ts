import { expect } from 'chai';
import { prepareDemo } from '../../../../test-support/demo-database.ts';
import { DEMO_IDS } from '../../src/database/demo-data.ts';
import { useOperator } from './operator.ts';

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
