import { divisionListFields, divisionUserListFields, userListFields } from '@chapter/domain/api';
import { aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { csvFormat } from '../../src/routes/list-route.ts';

const users = csvFormat(userListFields);
const ada = aUser().with({
  username: 'ada',
  email: 'ada@example.org',
  firstName: 'Ada',
  lastName: 'Lovelace',
  birthdate: '1990-12-10',
  dateJoined: '2026-01-31T09:30:00.000Z',
});

describe('A list as CSV', () => {
  it('has the columns of the export of the command line that an item shows, and the name of the division', () => {
    expect(users.header).to.equal(
      'id,username,email,first_name,last_name,division_id,division,groups,birthdate,is_active,is_staff,is_superuser,date_joined\r\n',
    );
    expect(csvFormat(divisionListFields).header).to.equal('id,name,logo,fanpage\r\n');
    expect(csvFormat(divisionUserListFields).header).to.equal('id,username\r\n');
  });

  it('has a line for each item, with empty cells for null and for empty texts', () => {
    const { id, division } = ada;
    const empty = { ...ada, email: null, firstName: '', birthdate: null, groups: [], isActive: false };
    expect(users.lines([{ ...ada, groups: ['Leader', 'User'], isStaff: true }, empty])).to.equal(
      `${id},ada,ada@example.org,Ada,Lovelace,${division.id},${division.name},Leader;User,1990-12-10,true,true,false,2026-01-31T09:30:00.000Z\r\n` +
        `${id},ada,,,Lovelace,${division.id},${division.name},,,false,false,false,2026-01-31T09:30:00.000Z\r\n`,
    );
    expect(users.lines([])).to.equal('');
  });

  it('for spreadsheets begins with a byte-order mark, and has instants without a time zone and the same dates', () => {
    const { header, lines } = csvFormat(userListFields, true);
    const division = { ...ada.division, name: '=Zoë, "Süd"' };
    const line = lines([{ ...ada, division, dateJoined: '2026-12-31T23:59:59.999Z' }]);
    expect(Buffer.from(header).subarray(0, 5)).to.deep.equal(Buffer.from([0xef, 0xbb, 0xbf, 0x69, 0x64]));
    expect(header.slice(1)).to.equal(users.header);
    expect(line)
      .to.include(`,"'=Zoë, ""Süd""",User,1990-12-10,`)
      .and.match(/,2026-12-31 23:59:59\r\n$/);
  });

  it('quotes cells with commas, quotation marks and line ends, and guards formulas', () => {
    const names = ['a,b', 'say "x"', 'a\nb', 'a\rb', '=1+1', "'=x", "'plain", '-,"', 'Zoë', ' x '];
    const divisions = csvFormat(divisionListFields);
    const { id } = ada.division;
    expect(divisions.lines(names.map((name) => ({ id, name, logo: null, fanpage: null })))).to.equal(
      ['"a,b"', '"say ""x"""', '"a\nb"', '"a\rb"', "'=1+1", "''=x", "'plain", `"'-,"""`, 'Zoë', ' x ']
        .map((cell) => `${id},${cell},,\r\n`)
        .join(''),
    );
  });
});
