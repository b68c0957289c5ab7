import { connectPostgres } from '@chapter/adapters-postgres';
import { type Action, type Actor, can, policy } from '@chapter/domain';
import { makeFakePasswordHasher, makeSettableClock } from '@chapter/domain/testing';
import { expect } from 'chai';
import { prepareDemo } from '../../../../test-support/demo-database.ts';
import { query } from '../../../../test-support/query.ts';
import { silentProgress } from '../../src/bulk/report.ts';
import { addDemoMembers, DEMO_IDS } from '../../src/database/demo-data.ts';
import { uuidIds } from '../../src/system/clock-and-ids.ts';
import { useOperator } from './operator.ts';

/** Gives all kinds of rights to members who were added, and takes the activity of some. */
const VARY_RIGHTS = `update user_account u
    set groups = (array['{}', '{User}', '{Guest}', '{Leader}', '{Leader,Guest}'])[1 + n % 5]::member_group[],
        is_active = n % 7 > 0, is_staff = n % 11 = 0, is_superuser = n % 13 = 0
   from (select id, row_number() over (order by id) as n from user_account where username ~ '[0-9]$') added
  where u.id = added.id`;

const ACTORS = `select id, username, division_id as "divisionId", groups::text[] as groups, is_active as "isActive",
    is_staff as "isStaff", is_superuser as "isSuperuser" from user_account`;

describe('policy who-can', () => {
  const { chapter, url } = useOperator(prepareDemo);
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

  it('lists exactly the users that the policy allows, also in lists of several pages', async () => {
    const connected = connectPostgres({ url: url(), clock: makeSettableClock(), ids: uuidIds });
    try {
      const ports = { ...connected, clock: makeSettableClock(), hasher: makeFakePasswordHasher() };
      await addDemoMembers(ports, 250, silentProgress);
    } finally {
      await connected.close();
    }
    await query(url(), VARY_RIGHTS);
    const actors = (await query(url(), ACTORS)) as unknown as readonly Actor[];
    const administrator = actors.find(({ isActive, isStaff }) => isActive && isStaff) ?? expect.fail('one is staff');
    const user = actors.find(({ id }) => id === users.user) ?? expect.fail('the demo user is stored');
    const onUsers = [user, administrator].map((target) => [` --user ${target.id}`, target] as const);
    const onDivisions = Object.values(divisions).map(
      (divisionId) => [` --division ${divisionId}`, { divisionId }] as const,
    );
    const targetsOf = (action: Action): readonly (readonly [options: string, target: object])[] => {
      const { readTarget } = policy[action];
      if (readTarget({}) !== null) return [['', {}]];
      return readTarget({ divisionId: null }) === null ? onUsers : onDivisions;
    };
    for (const action of Object.keys(policy) as Action[]) {
      const targets = targetsOf(action);
      for (const [option, target] of targets) {
        const { err, out } = await chapter(`policy who-can --action ${action} --json${option}`);
        expect(err).to.equal('');
        const listed = new Set((JSON.parse(out) as readonly { readonly id: string }[]).map(({ id }) => id));
        const allowed = actors.filter((actor) => can(actor, action, target as never)).map(({ id }) => id);
        expect([...listed].toSorted(), `${action}${option}`).to.deep.equal(allowed.toSorted());
      }
    }
  });
});
