import { anyOf, makeExplain, onUser, policy, rule, rules } from '@chapter/domain';
import { aDivision, aGuest, aLeader, aUser, decisionMatrix } from '@chapter/domain/testing';
import { expect } from 'chai';

const founder = rule('a founder', (actor) => actor.username === 'ada');
const printBadge = onUser(anyOf(rules.leader, founder));
const north = aDivision();
const people = { leader: aLeader().of(north), guest: aGuest().of(north), ada: aUser().with({ username: 'ada' }) };

it('lets the Leader and the founder print badges', () => {
  expect(decisionMatrix({ printBadge }, people, { guest: people.guest })).to.equal(
    ['action      target  leader   guest      ada', 'printBadge  guest   allowed  forbidden  allowed', ''].join('\n'),
  );
  const explain = makeExplain({ ...policy, printBadge });
  expect(explain(people.guest, 'printBadge', people.guest).reason).to.equal(
    'only a Leader of the division or a founder may do this',
  );
});
