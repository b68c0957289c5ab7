import { expect } from 'chai';
import {
  type AccessPort,
  type AccessResponse,
  EVALUATION,
  EVALUATIONS,
  entity,
  makeAccessPort,
} from './access-port.ts';

const read = { name: 'getUser' };
const write = { name: 'updateUser' };
const remove = { name: 'deleteUser' };

describe('Evaluations of AuthZEN 1.0 (sections 6 and 7)', () => {
  let port: AccessPort;
  before(async () => {
    port = await makeAccessPort();
  });
  after(() => port.close());

  const question = () => ({ subject: entity(port.alice), action: read, resource: entity(port.bob) });
  const decisionsOf = async (body: unknown): Promise<boolean[]> =>
    (await port.ok(EVALUATIONS, body)).evaluations.map(({ decision }: AccessResponse['body']) => decision);

  it('decide, with the outcome, the rule and the reason in the context', async () => {
    const { alice, bob } = port;
    const rule = 'a Leader of the division';
    expect(await port.ok(EVALUATION, { ...question(), action: remove })).to.deep.equal({
      decision: true,
      context: { outcome: 'allowed', rule, reason: `${rule} may do this` },
    });
    const backwards = { subject: entity(bob), action: remove, resource: entity(bob) };
    expect(await port.ok(EVALUATION, backwards)).to.deep.equal({
      decision: false,
      context: { outcome: 'forbidden', rule, reason: `only ${rule} may do this` },
    });
    const { context } = await port.ok(EVALUATION, { ...backwards, resource: entity(alice) });
    expect(context.outcome).to.equal('not_found');
    const unknown = { type: 'user', id: 'alice@example.com' };
    expect(await port.ok(EVALUATION, { ...question(), subject: unknown })).to.deep.equal({
      decision: false,
      context: { outcome: 'unauthenticated', rule: 'no one', reason: 'the subject does not exist' },
    });
  });

  it('read neither properties nor context nor unknown members', async () => {
    const { alice, bob } = port;
    const properties = { groups: ['Leader'], is_staff: true, department: 'Sales', nested: { list: [1, null] } };
    const body = {
      subject: { ...entity(bob), properties, isSuperuser: true },
      action: { ...remove, properties: { method: 'GET' } },
      resource: { ...entity(alice), properties: { divisionId: null } },
      context: { time: '1985-10-26T01:22-07:00', ip: '192.168.1.1' },
      futureField: { nested: true },
    };
    expect((await port.ok(EVALUATION, body)).decision).to.equal(false);
    const subject = { ...entity(alice), properties: { groups: [], is_active: false } };
    expect((await port.ok(EVALUATION, { ...body, subject })).decision).to.equal(true);
  });

  it('without a required member, or with one of another type, are 400 and name it', async () => {
    for (const [message, change] of [
      ['the request must have required properties subject', { subject: undefined }],
      ['the request must have required properties action', { action: undefined }],
      ['the request must have required properties resource', { resource: undefined }],
      ['subject must have required properties type', { subject: { id: 'x' } }],
      ['subject must have required properties id', { subject: { type: 'user' } }],
      ['action must have required properties name', { action: {} }],
      ['resource must have required properties type', { resource: { id: 'x' } }],
      ['resource must have required properties id', { resource: { type: 'user' } }],
      ['subject must be object', { subject: 'alice' }],
      ['subject must be object', { subject: null }],
      ['resource must be object', { resource: [] }],
      ['action.name must be string', { action: { name: 123 } }],
      ['subject.id must be string', { subject: { type: 'user', id: 5 } }],
      ['subject.properties must be object', { subject: { ...entity(port.alice), properties: 'x' } }],
      ['context must be object', { context: [] }],
    ] as const) {
      for (const path of [EVALUATION, EVALUATIONS]) await port.refused(message, path, { ...question(), ...change });
    }
    for (const body of [[], null, 5]) await port.refused('the request must be object', EVALUATION, body);
  });

  it('return their decisions in order, and nothing else', async () => {
    const { alice, bob } = port;
    const evaluations = [question(), { subject: entity(bob), action: read, resource: entity(alice) }, question()];
    expect(await decisionsOf({ evaluations })).to.deep.equal([true, false, true]);
    expect(await port.ok(EVALUATIONS, { evaluations })).to.have.all.keys('evaluations');
  });

  it('take members from the top as defaults, also single keys of an entity', async () => {
    const { alice, bob } = port;
    const common = { subject: entity(bob), action: write, context: { time: '2024-05-31T15:22-07:00' } };
    const evaluations = [
      { resource: entity(bob) },
      { resource: entity(alice) },
      { resource: entity(alice), subject: entity(alice) },
      { resource: entity(bob), action: remove, context: { source: 'batch-override' } },
    ];
    expect(await decisionsOf({ ...common, evaluations })).to.deep.equal([true, false, true, false]);
    const byId = [{ resource: { id: bob.id, properties: { status: 'active' } } }, { resource: entity(alice) }];
    expect(await decisionsOf({ ...common, resource: { type: 'user' }, evaluations: byId })).to.deep.equal([
      true,
      false,
    ]);
    expect(await decisionsOf({ ...question(), evaluations: [{}] })).to.deep.equal([true]);
  });

  for (const [semantic, decisions] of [
    [undefined, [true, false, true]],
    ['execute_all', [true, false, true]],
    ['deny_on_first_deny', [true, false]],
    ['permit_on_first_permit', [true]],
  ] as const) {
    it(`end with the semantic ${semantic ?? 'by default'} after ${decisions.length} of three`, async () => {
      const { alice, bob } = port;
      const evaluations = [bob, alice, bob].map((one) => ({ resource: entity(one) }));
      const options = { another_option: 'value', ...(semantic && { evaluations_semantic: semantic }) };
      const body = { subject: entity(bob), action: write, options, evaluations };
      expect(await decisionsOf(body)).to.deep.equal(decisions);
    });
  }

  it('that are faulty are denials with an error, and end the semantic deny_on_first_deny', async () => {
    const { alice, bob } = port;
    const faulty = [{}, 5, null, { resource: { type: 'user', id: 7 } }];
    const evaluations = [{ resource: entity(bob) }, ...faulty, { resource: entity(alice) }];
    const body = { subject: entity(alice), action: read, evaluations };
    const { evaluations: decided } = await port.ok(EVALUATIONS, body);
    expect(decided.map(({ context }: AccessResponse['body']) => context.error)).to.deep.equal([
      undefined,
      { status: 400, message: 'the request must have required properties resource' },
      { status: 400, message: 'the request must be object' },
      { status: 400, message: 'the request must be object' },
      { status: 400, message: 'resource.id must be string' },
      undefined,
    ]);
    expect(await decisionsOf(body)).to.deep.equal([true, false, false, false, false, true]);
    const options = { evaluations_semantic: 'deny_on_first_deny' };
    expect(await decisionsOf({ ...body, options })).to.deep.equal([true, false]);
  });

  it('are the request itself if there are none', async () => {
    const expected = await port.ok(EVALUATION, question());
    expect(await port.ok(EVALUATIONS, question())).to.deep.equal(expected);
    expect(await port.ok(EVALUATIONS, { ...question(), evaluations: [] })).to.deep.equal(expected);
  });

  it('are at most 100, and faults outside of them are 400', async () => {
    const evaluations = Array.from({ length: 101 }, () => ({ resource: entity(port.bob) }));
    const common = { subject: entity(port.alice), action: read };
    expect(await decisionsOf({ ...common, evaluations: evaluations.slice(1) })).to.have.lengthOf(100);
    for (const [message, change] of [
      ['evaluations must not have more than 100 items', { evaluations }],
      ['evaluations must be array', { evaluations: {} }],
      ['options must be object', { options: 5 }],
      ['subject must be object', { subject: 'alice' }],
      [
        'options.evaluations_semantic must be equal to one of the allowed values',
        { options: { evaluations_semantic: 'first' } },
      ],
    ] as const) {
      await port.refused(message, EVALUATIONS, { ...common, evaluations: [{}], ...change });
    }
  });
});
