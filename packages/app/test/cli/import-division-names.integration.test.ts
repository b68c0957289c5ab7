import { expect } from 'chai';
import { badUsers, NORTH, SOUTH } from './in-bulk.ts';
import { BOB, counts, UNKNOWN, useStoredUsers } from './stored-users.ts';

describe('chapter import of users with names of divisions', () => {
  const { done, fault, file, sql, update, users } = useStoredUsers();
  const faultOf = async (csv: string, ...options: readonly string[]) =>
    fault('import', '--users', await file('users.csv', csv), ...options);
  const divisionsOf = async (condition?: string) =>
    (await users('division_id', condition)).map((row) => Reflect.get(row, 'division_id'));

  it('finds stored divisions and those of the same import, without regard to case', async () => {
    await sql(`update division set name = 'Ñandú Σς', name_key = 'ñandú σσ' where id = '${SOUTH}'`);
    const divisions = await file('d.csv', `name\n=East\n`);
    const csv = await file('users.csv', `username,division\neve, NORTH \ndan,n\u0303ANDU\u0301 σΣ\nfay,'=EAST\n`);
    expect(await done('import', '--divisions', divisions, '--users', csv)).to.deep.equal({
      imported: true,
      divisions: 1,
      users: 3,
    });
    const named = await sql(`select username, d.name from user_account u join division d on d.id = division_id
      where username in ('dan', 'eve', 'fay') order by 1`);
    expect(named).to.deep.equal([
      { username: 'dan', name: 'Ñandú Σς' },
      { username: 'eve', name: 'North' },
      { username: 'fay', name: '=East' },
    ]);
  });

  it('moves stored users like a changed id, and changes nothing where the name is that of the stored division', async () => {
    expect(await update('username,division\nada,north\nbob,South\n')).to.deep.equal(counts(0, 1, 1));
    expect(await users('division_id, groups::text', `id = '${BOB}'`)).to.deep.equal([
      { username: 'bob', version: 2, division_id: SOUTH, groups: '{User}' },
    ]);
  });

  it('needs only one of name and id', async () => {
    const csv = `username,division_id,division\nada,${NORTH},\nbob,,South\ncal,${SOUTH},SOUTH\n`;
    expect(await update(csv)).to.deep.equal(counts(0, 1, 2));
    expect(await divisionsOf()).to.deep.equal([NORTH, SOUTH, SOUTH]);
  });

  it('reports unknown, missing and contradictory names, each by one fault of the line', async () => {
    const csv = [
      'username,division_id,division',
      'dan,,Nort',
      'eve,,Nowhere at all',
      `fay,${NORTH},South`,
      'gus,,',
      `hal,,${NORTH}`,
      `ida,${UNKNOWN},North`,
      `joe,${NORTH},Nowhere at all`,
    ].join('\n');
    const faults = badUsers(
      'line 2: division does not match a stored or imported division; did you mean North?',
      'line 3: division does not match a stored or imported division',
      'line 4: division is not the name of the division with this division_id',
      'line 5: division must not be empty',
      'line 6: division must not be a UUID, because a UUID is read as an id',
      'line 7: division is not the name of the division with this division_id',
      'line 8: division does not match a stored or imported division',
    );
    expect(await faultOf(csv)).to.equal(faults);
    expect(await faultOf(csv, '--update')).to.equal(faults);
    expect(await faultOf('username,division\nada,\n', '--update')).to.equal(
      badUsers('line 2: division must not be empty'),
    );
  });

  it('reports a division that is given twice only in the file of divisions', async () => {
    const divisions = await file('d.csv', 'name\nEast\neast\nNORTH\n');
    const err = await faultOf('username,division\ndan,East\neve,North\n', '--divisions', divisions);
    expect(err.split('\n').slice(0, -2)).to.deep.equal([
      'd.csv, line 3: name is already used in line 2',
      'd.csv, line 4: name is already used by a stored division',
    ]);
  });
});
