import {
  type Division,
  NEW_DIVISION_DEFAULTS,
  NEW_USER_DEFAULTS,
  type OwnSession,
  type PasswordLink,
  type PersonalToken,
  type User,
} from '@chapter/domain/api';

// Records that the examples of several files of the OpenAPI document share.

/** A division. */
export const exampleDivision = {
  ...NEW_DIVISION_DEFAULTS,
  id: '019aa7c2-7f31-7c6e-8a44-3f6d1d0b5e01',
  name: 'Riverside',
  logo: 'https://example.org/riverside.png',
  revision: '1',
} as const satisfies Division;

/** A user of that division. */
export const exampleUser = {
  ...NEW_USER_DEFAULTS,
  id: '019aa7c2-9b5c-7b1f-9d7a-6a51c2f0e7aa',
  username: 'ada',
  email: 'ada@example.org',
  firstName: 'Ada',
  lastName: 'Lovelace',
  division: exampleDivision,
  birthdate: '1990-12-10',
  dateJoined: '2026-01-31T09:30:00.000Z',
  revision: '3.1',
} as const satisfies User;

/** A session in the list of the caller's sessions. */
export const exampleOwnSession = {
  id: '019aa7c3-0d42-7f5b-9a1e-5b8f2c7d4e90',
  createdAt: '2026-02-01T08:00:00.000Z',
  refreshedAt: '2026-02-03T17:45:12.000Z',
  expiresAt: '2026-02-17T17:45:12.000Z',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
  isCurrent: true,
} as const satisfies OwnSession;

/** A personal access token in the list of the caller's tokens. */
export const examplePersonalToken = {
  id: '019aa7c4-31c2-7d0a-8f77-90b1d4e2a6c3',
  name: 'attendance script',
  isReadOnly: true,
  createdAt: '2026-02-01T08:00:00.000Z',
  expiresAt: '2026-12-31T00:00:00.000Z',
  lastUsedOn: null,
} as const satisfies PersonalToken;

/** A password link. */
export const examplePasswordLink = {
  url: 'https://members.example.org/password/#username=ada&token=Zk3vT0m1yQ8r5wXb7cJ2nL9sD4fH6gK1pA0eUiOqWxY',
  token: 'Zk3vT0m1yQ8r5wXb7cJ2nL9sD4fH6gK1pA0eUiOqWxY',
  expiresAt: '2026-02-04T08:00:00.000Z',
} as const satisfies PasswordLink;
