import { userListFields } from '@chapter/domain/api';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { runs } from '../../../../test-support/properties.ts';
import { decodeCursor, encodeCursor } from '../../src/lists/cursor.ts';
import { divisionListParameters, userListParameters } from '../../src/lists/list-parameters.ts';
import { useServedChapter } from '../support/chapter.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '%', '%ZZ', '%00', 'true', '-1', '2023-02-30'),
);
const name = fc.oneof(
  fc.constantFrom(...userListParameters.parameters.keys(), ...divisionListParameters.parameters.keys()),
  text,
);
const encoded = text.map((value) =>
  value.isWellFormed() ? encodeURIComponent(value) : value.replace(/[^\x21\x22\x24-\x7e]/g, ''),
);
const query = fc
  .array(fc.tuple(name, encoded), { maxLength: 8 })
  .map((pairs) => pairs.map(([key, value]) => `${key.replace(/[^\x21\x22\x24-\x7e]/g, '')}=${value}`).join('&'));

describe('With random input', () => {
  const chapter = useServedChapter();

  it('a cursor decodes to the position that it encodes, or is invalid', () => {
    const query = userListParameters.read('ordering=last_name,birthdate', 'users');
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constant(null),
      fc.boolean(),
      fc.uuid(),
      fc.constant('2000-01-01'),
    );
    fc.assert(
      fc.property(
        fc.constantFrom('after' as const, 'before' as const),
        fc.boolean(),
        fc.tuple(value, value, value),
        (side, inclusive, values) => {
          const position = { side, inclusive, values };
          const decoded = decodeCursor(query, userListFields, encodeCursor(query.checksum, position));
          if (decoded) expect(decoded).to.deep.equal(position);
        },
      ),
    );
    fc.assert(
      fc.property(fc.base64String(), (cursor) => {
        expect(decodeCursor(query, userListFields, cursor)).to.equal(undefined);
      }),
    );
  });

  it('lists return 200 or 422', () =>
    fc.assert(
      fc.asyncProperty(query, fc.constantFrom('/api/users/', '/api/divisions/'), async (sent, path) => {
        const as = path === '/api/users/' ? chapter.leader : chapter.admin;
        expect((await chapter.get(`${path}?${sent}`, as)).status).to.be.oneOf([200, 422]);
      }),
      runs(100),
    ));

  const fields = [
    'username',
    'email',
    'first_name',
    'birthdate',
    'groups',
    'is_active',
    'division',
    'password',
    'id',
    '__proto__',
  ];
  const body = fc.oneof(
    fc.json(),
    fc
      .dictionary(fc.oneof(fc.constantFrom(...fields), fc.string()), fc.jsonValue())
      .map((value) => JSON.stringify(value)),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );

  it('bodies never cause a 5xx response', () =>
    fc.assert(
      fc.asyncProperty(body, async (raw) => {
        const { send, leader, north, groupless } = chapter;
        const sending = { as: leader, raw, headers: { 'content-type': 'application/json' } };
        const responses = [
          await send('POST', '/api/users/', sending),
          await send('PATCH', `/api/users/${groupless.id}`, sending),
          await send('PATCH', `/api/divisions/${north.id}`, sending),
          await send('POST', '/api/auth/login/', sending),
          await send('DELETE', '/api/auth/tokens/', sending),
        ];
        for (const { status, text: received } of responses) expect(status, received).to.be.lessThan(500);
      }),
      runs(40),
    ));
});
