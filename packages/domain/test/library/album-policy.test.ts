import { readFileSync } from 'node:fs';
import { type Actor, makeCan, makeExplain, OPERATOR, row, rules, scopeToSql, type TargetOfType } from '@chapter/domain';
import { aDivision, aLeader, aTarget, aUser, expectScopeEqualsCan } from '@chapter/domain/testing';
import { expect } from 'chai';
import { album, albumPolicy, explain, forbiddenFields, scope, writableFields } from './album-policy.ts';

const north = aDivision();
const [ada, bob, lead] = [aUser().of(north), aUser().of(north), aLeader().of(north)];
const people = { ada, bob, lead, stranger: aLeader(), homeless: aUser().with({ divisionId: null }), anonymous: null };
const draft = aTarget(album, { ownerId: ada.id, divisionId: north.id });
const published = { ...draft, isPublished: true };
type Album = TargetOfType<typeof album>;

const outcomesOf = (action: keyof typeof albumPolicy, target: Album) =>
  Object.values(people).map((person) => explain(person, action, target).outcome);

describe('A policy about the things of another service', () => {
  it('takes at most 35 lines for 12 actions, 5 rules, the rights of fields and a list', () => {
    expect(readFileSync('packages/domain/test/library/album-policy.ts', 'utf8').split('\n').length).to.be.at.most(36);
    expect(Object.keys(albumPolicy)).to.have.length(12);
  });

  it('is the example in the README', () => {
    const example = readFileSync('packages/domain/test/library/album-policy.ts', 'utf8');
    expect(readFileSync('packages/domain/README.md', 'utf8')).to.include(example);
  });

  it('decides by the owner and by the attributes of the thing', () => {
    const [ok, no, hidden, none] = ['allowed', 'forbidden', 'not_found', 'unauthenticated'];
    expect(outcomesOf('readAlbum', draft)).to.deep.equal([ok, hidden, ok, hidden, hidden, none]);
    expect(outcomesOf('readAlbum', published)).to.deep.equal([ok, ok, ok, hidden, hidden, none]);
    expect(outcomesOf('deleteAlbum', draft)).to.deep.equal([ok, hidden, ok, hidden, hidden, none]);
    expect(outcomesOf('deleteAlbum', published)).to.deep.equal([no, no, ok, hidden, hidden, none]);
    const { moveAlbum } = albumPolicy;
    expect(makeExplain({ moveAlbum })(OPERATOR, 'moveAlbum', draft).outcome).to.equal('forbidden');
  });

  it('says who may do it, and which alternative allowed', () => {
    const both = 'the owner, until the album is published or a Leader of the division';
    expect(explain(ada, 'deleteAlbum', published).reason).to.equal(`only ${both} may do this`);
    expect(explain(lead, 'deleteAlbum', draft)).to.deep.equal({
      outcome: 'allowed',
      rule: both,
      reason: 'a Leader of the division may do this',
    });
    expect(explain(ada, 'deleteAlbum', draft).reason).to.equal('the owner, until the album is published may do this');
  });

  it('lists what is their own, or published in their division', () => {
    const own = { ownerId: ada.id };
    const inDivision = { divisionId: north.id, isPublished: true };
    expect(scope(ada, 'listAlbums')).to.deep.equal([own, inDivision]);
    const columns = { ownerId: 'a.owner_id', divisionId: 'a.division_id', isPublished: 'a.is_published' };
    expect(scopeToSql(scope(ada, 'listAlbums'), columns, 2)).to.deep.equal({
      text: '("a"."owner_id" = $2 or ("a"."division_id" = $3 and "a"."is_published" = $4))',
      parameters: [ada.id, north.id, true],
    });
    expect(scopeToSql(scope(ada, 'listAlbums'), { ...columns, isPublished: null })).to.deep.equal({
      text: '("a"."owner_id" = $1 or ("a"."division_id" = $2 and false))',
      parameters: [ada.id, north.id],
    });
    const { isPublished: _, ...incomplete } = columns;
    expect(() => scopeToSql(scope(ada, 'listAlbums'), incomplete)).to.throw(TypeError, 'columns has no "isPublished"');
  });

  it('has scopes that contain exactly what it allows', () => {
    expect(expectScopeEqualsCan(albumPolicy, people)).to.be.greaterThan(1000);
  });

  it('says which fields a caller may write, and denies unknown ones', () => {
    const all = [ada, bob, lead, null].map((person) => [draft, published].map((one) => writableFields(person, one)));
    expect(all).to.deep.equal([
      [['title', 'cover'], []],
      [[], []],
      [
        ['title', 'divisionId'],
        ['title', 'divisionId'],
      ],
      [[], []],
    ]);
    const sent = { title: 'x', cover: 'y', ownerId: bob.id, toString: 1 };
    expect(forbiddenFields(lead, draft, sent).map(({ field, code }) => `${field} ${code}`)).to.deep.equal([
      'cover field_forbidden',
      'ownerId unknown_field',
      'toString unknown_field',
    ]);
    expect([writableFields(OPERATOR, draft), writableFields(ada, { ...draft, id: 'x' })]).to.deep.equal([[], []]);
  });

  it('names the malformed part of an actor or a target', () => {
    const actor = { ...ada, groups: ['User', 'User'] } as unknown as Actor;
    const fail = () => expect.fail('must not reach the caller');
    const reasons = [
      explain(actor, 'readAlbum', draft),
      explain({ ...ada, isStaff: undefined } as unknown as Actor, 'readAlbum', draft),
      explain(Object.defineProperty({ ...ada }, 'x', { get: fail, enumerable: true }), 'readAlbum', draft),
      explain(Object.defineProperty({ ...ada }, 'groups', { get: fail, enumerable: true }), 'readAlbum', draft),
      explain(7 as never, 'readAlbum', draft),
      explain(ada, 'readAlbum', { ...draft, ownerId: ada.id.toUpperCase() }),
      explain(ada, 'readAlbum', { ...draft, isPublished: 1 } as never),
      explain(ada, 'readAlbum', 'x' as never),
    ].map(({ reason }) => reason);
    expect(reasons).to.deep.equal([
      'the actor is malformed: groups must be an array of Leader, Guest, User, each at most once',
      'the actor is malformed: isStaff must be true or false',
      'the actor is malformed: one of its own properties cannot be read',
      'the actor is malformed: groups must be an array of Leader, Guest, User, each at most once',
      'the actor is malformed: it must be an object',
      'the target is malformed: ownerId must be a UUID in lower case',
      'the target is malformed: isPublished must be true or false',
      'the target is malformed: it must be an object',
    ]);
  });

  it('needs only the attributes that the rules of an action read', () => {
    expect(explain(lead, 'moveAlbum', draft).outcome).to.equal('allowed');
    const shown = row(rules.leader, rules.owner, album);
    expect(makeCan({ shown })(lead, 'shown', { ownerId: ada.id, divisionId: north.id })).to.equal(true);
    // @ts-expect-error the owner is needed
    expect(makeCan({ shown })(lead, 'shown', { divisionId: north.id })).to.equal(false);
  });
});
