import { expect } from 'chai';
import { type AccessPort, EVALUATION, EVALUATIONS, makeAccessPort, SEARCHES } from './access-port.ts';

const alice = { type: 'user', id: 'alice@example.com' };
const account = { type: 'account', id: '123' };
const [canRead, canEdit, read] = [{ name: 'can_read' }, { name: 'can_edit' }, { name: 'read' }];
const [time, nextDay] = ['2024-05-31T15:22-07:00', '2024-10-26T01:22-07:00'].map((value) => ({ time: value }));
const documents = ['boxcarring.md', 'subject-search.md', 'resource-search.md'].map((id) => ({ type: 'document', id }));
const threeDocuments = ['1', '2', '3'].map((id) => ({ resource: { type: 'document', id } }));

/** The decision about a subject that this service does not know. */
const denied = {
  decision: false,
  context: { outcome: 'unauthenticated', rule: 'no one', reason: 'the subject does not exist' },
};
const denials = (count: number) => ({ evaluations: Array.from({ length: count }, () => denied) });
const nothing = { page: { next_token: '', count: 0 }, results: [] };

/** The requests of the standard's sections, with the responses of this service, which knows none of their names. */
const EXAMPLES: readonly (readonly [section: string, path: string, body: object, response: object])[] = [
  [
    '6.1: an evaluation',
    EVALUATION,
    {
      subject: alice,
      resource: account,
      action: { ...canRead, properties: { method: 'GET' } },
      context: { time: '1985-10-26T01:22-07:00' },
    },
    denied,
  ],
  [
    '7.1: evaluations without defaults',
    EVALUATIONS,
    { evaluations: documents.map((resource) => ({ subject: alice, action: canRead, resource, context: time })) },
    denials(3),
  ],
  [
    '7.1.1: one subject and one context',
    EVALUATIONS,
    { subject: alice, context: time, evaluations: documents.map((resource) => ({ action: canRead, resource })) },
    denials(3),
  ],
  [
    '7.1.1: an action that the third evaluation replaces',
    EVALUATIONS,
    {
      subject: alice,
      context: time,
      action: canRead,
      evaluations: documents.map((resource, at) => (at === 2 ? { action: canEdit, resource } : { resource })),
    },
    denials(3),
  ],
  [
    '7.1.2: options, without an action',
    EVALUATIONS,
    {
      evaluations: [{ resource: { type: 'doc', id: '1' }, subject: { type: 'doc', id: '2' } }],
      options: { evaluations_semantic: 'execute_all', another_option: 'value' },
    },
    {
      evaluations: [
        {
          decision: false,
          context: { error: { status: 400, message: 'the request must have required properties action' } },
        },
      ],
    },
  ],
  ...(
    [
      ['execute_all', 3],
      ['deny_on_first_deny', 1],
      ['permit_on_first_permit', 3],
    ] as const
  ).map(
    ([semantic, count]) =>
      [
        `7.1.2.1: ${semantic}`,
        EVALUATIONS,
        {
          subject: alice,
          action: read,
          options: { evaluations_semantic: semantic },
          evaluations: threeDocuments,
        },
        denials(count),
      ] as const,
  ),
  [
    '8.2: the first part of a search',
    SEARCHES.resource,
    { subject: alice, action: canRead, resource: { type: 'account' }, page: { limit: 2 } },
    nothing,
  ],
  [
    '8.4: a search for subjects',
    SEARCHES.subject,
    { subject: { type: 'user' }, action: canRead, resource: account, context: nextDay },
    nothing,
  ],
  [
    '8.5: a search for resources',
    SEARCHES.resource,
    { subject: alice, action: canRead, resource: { type: 'account' } },
    nothing,
  ],
  ['8.6: a search for actions', SEARCHES.action, { subject: alice, resource: account, context: nextDay }, nothing],
];

describe('The requests that AuthZEN 1.0 has as examples', () => {
  let port: AccessPort;
  before(async () => {
    port = await makeAccessPort();
  });
  after(() => port.close());

  for (const [section, path, body, response] of EXAMPLES) {
    it(`are answered as in section ${section}`, async () => {
      const { body: received, headers, status } = await port.post(path, body);
      expect([status, headers['content-type']], JSON.stringify(received)).to.deep.equal([200, 'application/json']);
      expect(received).to.deep.equal(response);
    });
  }

  it('are refused if a part of them asks with the token of another service', async () => {
    const body = {
      subject: alice,
      action: canRead,
      resource: { type: 'account' },
      page: { token: 'a3M9NDU2O3N6PTI=' },
    };
    await port.refused('page.token is not the next_token of a search for the same', SEARCHES.resource, body);
  });
});
