import { divisionListFields, divisionUserListFields, userListFields } from '@chapter/domain/api';
import { expect } from 'chai';
import { csvFormat } from '../../src/responses/csv.ts';
import { exampleDivision, exampleUser } from '../../src/routes/examples.ts';

const users = csvFormat(userListFields);

describe('A list as CSV', () => {
  it('has the columns of the export of the command line that an item shows, and the name of the division', () => {
    expect(users.header).to.equal(
      'id,username,email,first_name,last_name,division_id,division,groups,birthdate,is_active,is_staff,is_superuser,date_joined\r\n',
    );
    expect(csvFormat(divisionListFields).header).to.equal('id,name,logo,fanpage\r\n');
    expect(csvFormat(divisionUserListFields).header).to.equal('id,username\r\n');
  });

  it('has a line for each item, with empty cells for null and for empty texts', () => {
    const { id, division } = exampleUser;
    const empty = { ...exampleUser, email: null, firstName: '', birthdate: null, groups: [], isActive: false };
    expect(users.lines([{ ...exampleUser, groups: ['Leader', 'User'], isStaff: true }, empty])).to.equal(
      `${id},ada,ada@example.org,Ada,Lovelace,${division.id},${division.name},Leader;User,1990-12-10,true,true,false,2026-01-31T09:30:00.000Z\r\n` +
        `${id},ada,,,Lovelace,${division.id},${division.name},,,false,false,false,2026-01-31T09:30:00.000Z\r\n`,
    );
    expect(users.lines([])).to.equal('');
  });

  it('for spreadsheets begins with a byte-order mark, and has instants without a time zone and the same dates', () => {
    const { header, lines } = csvFormat(userListFields, true);
    const division = { ...exampleUser.division, name: '=Zoë, "Süd"' };
    const line = lines([{ ...exampleUser, division, dateJoined: '2026-12-31T23:59:59.999Z' }]);
    expect(Buffer.from(header).subarray(0, 5)).to.deep.equal(Buffer.from([0xef, 0xbb, 0xbf, 0x69, 0x64]));
    expect(header.slice(1)).to.equal(users.header);
    expect(line)
      .to.include(`,"'=Zoë, ""Süd""",User,1990-12-10,`)
      .and.match(/,2026-12-31 23:59:59\r\n$/);
  });

  it('quotes cells with commas, quotation marks and line ends, and guards formulas', () => {
    const names = ['a,b', 'say "x"', 'a\nb', 'a\rb', '=1+1', "'=x", "'plain", '-,"', 'Zoë', ' x '];
    const divisions = csvFormat(divisionListFields);
    const { id } = exampleDivision;
    expect(divisions.lines(names.map((name) => ({ id, name, logo: null, fanpage: null })))).to.equal(
      ['"a,b"', '"say ""x"""', '"a\nb"', '"a\rb"', "'=1+1", "''=x", "'plain", `"'-,"""`, 'Zoë', ' x ']
        .map((cell) => `${id},${cell},,\r\n`)
        .join(''),
    );
  });
});
