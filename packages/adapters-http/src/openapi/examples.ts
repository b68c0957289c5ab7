import { GROUP_DESCRIPTIONS, GROUPS } from '@chapter/domain';
import type { Static } from 'typebox';
import {
  presentDivision,
  presentDivisionUser,
  presentInfo,
  presentSession,
  presentUser,
  presentUserSummary,
} from '../responses/present.ts';
import type * as divisions from '../schemas/division.ts';
import type * as sessions from '../schemas/session.ts';
import type * as users from '../schemas/user.ts';

const fanpage = 'https://example.org/riverside';

const division = {
  id: '019aa7c2-7f31-7c6e-8a44-3f6d1d0b5e01',
  name: 'Riverside',
  logo: 'https://example.org/riverside.png',
  fanpage: null,
  revision: '1',
} as const;

const user = {
  id: '019aa7c2-9b5c-7b1f-9d7a-6a51c2f0e7aa',
  username: 'ada',
  email: 'ada@example.org',
  firstName: 'Ada',
  lastName: 'Lovelace',
  division,
  groups: ['User'],
  birthdate: '1990-12-10',
  isActive: true,
  isStaff: false,
  isSuperuser: false,
  dateJoined: '2026-01-31T09:30:00.000Z',
  revision: '3.1',
} as const;

const newUser: Static<typeof users.NewUser> = {
  username: 'ada',
  password: 'correct horse battery',
  email: 'ada@example.org',
  first_name: 'Ada',
  last_name: 'Lovelace',
  birthdate: '1990-12-10',
};
const userChanges: Static<typeof users.UserChanges> = { last_name: 'King', groups: ['Guest', 'User'] };
const divisionChanges: Static<typeof divisions.DivisionChanges> = { fanpage };
const login: Static<typeof sessions.Login> = { username: 'ada', password: 'correct horse battery' };

const session = presentSession({
  accessToken: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl',
  expiresIn: 900,
  refreshToken: 'q0dQ1Yp7r2x8mZr5wVYl3m0b9yJm6oCw2c1QeYd6t8E',
  refreshExpiresIn: 1_209_600,
});

const key = { kty: 'OKP', crv: 'Ed25519', kid: '2026-01', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };

const pageOf = <Item>(item: Item) => ({ results: [item], next: null, previous: null });

/** A successful answer of every operation that has one, and a body for every operation that takes one. */
export const examples: Readonly<Record<string, { readonly body?: unknown; readonly ok?: unknown }>> = {
  logIn: { body: login, ok: session },
  refreshSession: { body: { refresh_token: session.refresh_token }, ok: session },
  endSession: { body: { refresh_token: session.refresh_token } },
  listKeys: { ok: { keys: [key] } },
  listGroups: { ok: GROUPS.map((name) => ({ name, description: GROUP_DESCRIPTIONS[name] })) },
  getInfo: {
    ok: presentInfo({ id: user.id, username: user.username, divisionName: division.name, publicIp: '203.0.113.7' }),
  },
  listUsers: { ok: pageOf(presentUser(user)) },
  getUser: { ok: presentUserSummary(user) },
  createUser: { body: newUser, ok: presentUser(user) },
  updateUser: { body: userChanges, ok: presentUser({ ...user, lastName: 'King', groups: ['Guest', 'User'] }) },
  listDivisions: { ok: pageOf(presentDivision(division)) },
  getDivision: { ok: presentDivision(division) },
  updateDivision: { body: divisionChanges, ok: presentDivision({ ...division, fanpage }) },
  listDivisionUsers: { ok: pageOf(presentDivisionUser(user)) },
};
