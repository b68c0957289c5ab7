import { type Action, OPERATOR, policy, type User } from '@chapter/domain';
import { expect } from 'chai';
import { reportCount } from '../../../../scripts/proof-counts.ts';
import { oracle, oracleActions, type Relation, type Standing } from '../../../../test-support/authorization/oracle.ts';
import { ABSENT, standings } from '../../../../test-support/authorization/states.ts';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';
import { type TestResponse } from '../support/send.ts';

interface Question {
  readonly action: Action;
  readonly relation: Relation;
}

/** The caller and the target of a request. A deleted caller still has a token. */
interface Setting {
  readonly token: string | null;
  readonly users: Readonly<Record<Relation, string>>;
  readonly divisions: Readonly<Record<Relation, string>>;
  /** Ids of sessions. That of the caller is not the one of the token. */
  readonly sessions: Readonly<Record<Relation, string>>;
}

const SUCCESS: Partial<Record<Action, number>> = {
  createUser: 201,
  deleteUser: 204,
  endOwnSession: 204,
  createPasswordLink: 201,
};
const REFUSAL = { forbidden: 403, not_found: 404, unauthenticated: 401 } as const;

// Callers delete themselves last, because later requests would come from a deleted caller. They delete another user just
// before, because later requests would have no target.
const rankOfDeletion = ({ action, relation }: Question) =>
  action === 'deleteUser' ? (relation === 'self' ? 2 : 1) : 0;
const questions: readonly Question[] = oracleActions
  .flatMap(({ action, relations }) => relations.map((relation) => ({ action: action as Action, relation })))
  .toSorted((one, other) => rankOfDeletion(one) - rankOfDeletion(other));

const requestFor = ({ action, relation }: Question, { users, divisions, sessions }: Setting) => {
  const [user, division, session] = [users[relation], divisions[relation], sessions[relation]];
  const requests: Readonly<Record<Action, readonly [method: string, path: string, json?: object]>> = {
    listUsers: ['GET', '/api/users/'],
    getUser: ['GET', `/api/users/${user}/`],
    createUser: ['POST', '/api/users/', { username: `new-${users.self}`, password: 'an uncommon one' }],
    updateUser: ['PATCH', `/api/users/${user}`, {}],
    deleteUser: ['DELETE', `/api/users/${user}`],
    listDivisions: ['GET', '/api/divisions/'],
    getDivision: ['GET', `/api/divisions/${division}/`],
    updateDivision: ['PATCH', `/api/divisions/${division}`, {}],
    listDivisionUsers: ['GET', `/api/division/${division}/users/`],
    listGroups: ['GET', '/api/auth/groups/'],
    getInfo: ['GET', '/api/info/'],
    createPasswordLink: ['POST', `/api/users/${user}/password-links/`],
    listOwnSessions: ['GET', '/api/auth/sessions/'],
    endOwnSession: ['DELETE', `/api/auth/sessions/${session}`],
  };
  return requests[action];
};

/** Starts a session of a user and returns its id. */
const sessionOf = async ({ useCases, world }: ServedChapter, { username }: User): Promise<string> => {
  const { accessToken } = await useCases.logIn({ username, password: `${username}-secret`, network: username });
  return (await world.accessTokens.verify(accessToken)).sid;
};

/** Stores a caller in that standing with an active session, and another user of their division. */
const settle = async (chapter: ServedChapter, standing: Standing, name: string): Promise<Setting> => {
  const { admit, north, south, southLeader, tokenOf, world } = chapter;
  const { status, groups, ...flags } = standing;
  const caller = await admit(name, groups as User['groups'], flags);
  const token = status === 'anonymous' ? null : await tokenOf(caller);
  const session = await sessionOf(chapter, caller);
  if (status === 'inactive') {
    const change = (user: User) => ({ user: { ...user, isActive: false }, endsSessions: false });
    await world.users.update(OPERATOR, caller.id, ({ user }) => change(user));
  }
  if (status === 'deleted') await world.users.delete(OPERATOR, caller.id, () => {});
  const other = await admit(`${name}-other`, ['Leader']);
  return {
    token,
    users: { self: caller.id, 'same division': other.id, 'other division': southLeader.id, absent: ABSENT },
    divisions: { self: north.id, 'same division': north.id, 'other division': south.id, absent: ABSENT },
    sessions: {
      self: session,
      'same division': await sessionOf(chapter, other),
      'other division': await sessionOf(chapter, southLeader),
      absent: ABSENT,
    },
  };
};

describe('Every decision, over HTTP,', function () {
  this.timeout(1_800_000);
  let chapter: ServedChapter;
  before(async () => {
    chapter = await makeServedChapter();
  });
  after(() => chapter?.close());

  const ask = (question: Question, setting: Setting): Promise<TestResponse> => {
    const [method, path, json] = requestFor(question, setting);
    const authorization = setting.token === null ? {} : { authorization: `Bearer ${setting.token}` };
    return chapter.send(method, path, { json, headers: { ...authorization, 'x-request-id': 'the-same' } });
  };
  /** Returns the whole response except the Date header. */
  const bytesOf = ({ status, rawHeaders, text }: TestResponse) => {
    const names = rawHeaders.map((name, at) => (at % 2 === 0 && name === 'Date' ? '' : name));
    return { status, text, headers: names.filter((_, at) => names[at - (at % 2)] !== '') };
  };

  let sent = 0;
  let compared = 0;
  for (const [at, standing] of standings.entries()) {
    it(`matches the tables for ${JSON.stringify(standing)}`, async () => {
      const setting = await settle(chapter, standing, `caller-${at}`);
      for (const question of questions) {
        const { action, relation } = question;
        const outcome = oracle(standing, action, relation);
        const response = await ask(question, setting);
        sent++;
        const what = `${action}, ${relation}: ${response.text}`;
        if (outcome === 'allowed') {
          expect(response.status, what).to.equal(SUCCESS[action] ?? 200);
          continue;
        }
        expect(response.status, what).to.equal(REFUSAL[outcome]);
        if (outcome === 'forbidden') {
          expect(response.body).to.include({
            code: 'forbidden',
            detail: `only ${policy[action].allows.description} may do this`,
          });
        }
        if (outcome !== 'not_found') continue;
        for (const id of [ABSENT, ABSENT.toUpperCase(), 'no-id']) {
          const nowhere = {
            ...setting,
            users: { ...setting.users, [relation]: id },
            divisions: { ...setting.divisions, [relation]: id },
            sessions: { ...setting.sessions, [relation]: id },
          };
          expect(bytesOf(await ask(question, nowhere)), what).to.deep.equal(bytesOf(response));
          compared++;
        }
      }
    });
  }

  it('was compared', () => {
    expect(sent).to.equal(97 * 38);
    reportCount(sent, 'decisions requested over HTTP');
    reportCount(compared, 'responses for hidden and absent targets compared byte by byte');
  });
});
