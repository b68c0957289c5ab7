import { actorOf, isDomainError, makeUseCases, OPERATOR } from '@chapter/domain';
import type { CommonPasswords } from '@chapter/domain/ports';
import { commonPasswordsContract, makeWorld } from '@chapter/domain/testing';
import { expect } from 'chai';

/** An adapter of your own: a port is an interface. */
const commonPasswords: CommonPasswords = {
  has: (password) => ['password', '12345678', 'iloveyou', 'chapter of north'].includes(password),
};

describe('My common passwords', () => {
  for (const { title, run } of commonPasswordsContract) it(title, async () => run(commonPasswords));

  it('are refused when a Leader creates a member', async () => {
    const { createDivision, createUser, logIn } = makeUseCases({ ...makeWorld(), commonPasswords });
    const north = await createDivision(OPERATOR, () => ({ fields: { name: 'North' } }));
    const ada = { username: 'ada', password: 'between two seas', groups: ['Leader'] };
    const leader = await createUser(OPERATOR, () => ({ fields: ada }), north.id);
    const session = await logIn({ username: 'ada', password: ada.password, network: '192.0.2.0' });
    expect(session.expiresIn).to.equal(900);

    const bob = { username: 'bob', password: 'chapter of north' };
    const error = await createUser(actorOf(leader), () => ({ fields: bob })).catch((thrown: unknown) => thrown);
    expect(isDomainError(error) && error.faults[0]?.code).to.equal('too_common');
  });
});
