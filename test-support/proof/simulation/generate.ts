import { GROUPS } from '../../../packages/domain/src/index.ts';
import type { CallerCommand, Command, CommandOf, OperatorCommand, UserFields } from './commands.ts';
import type { Model, ModelUser } from './model/state.ts';
import type { Random } from './random.ts';
import { digestsOf, PASSWORDS } from './world.ts';

/** The knowledge that the clients of a history share. */
export interface Knowledge {
  readonly prefix: string;
  /** The ids of all users, including deleted ones. */
  readonly userIds: string[];
  /** Tokens by user, oldest first. Clients that act for the same user share them, as two browser tabs or a thief would. */
  readonly tokens: Map<string, { readonly access: string[]; readonly refresh: string[] }>;
  /** The tokens of password links, oldest first. Every client tries them. */
  readonly links: string[];
  /** The latest creation of each user. */
  readonly creations: Map<string, CommandOf<'createUser'>>;
  /** The latest known revision of each user or division. */
  readonly revisions: Map<string, string>;
  /** Counts generated first names, which are unique so that every lost update shows. */
  names: number;
}

/** The subjects of histories. */
export const THEMES = ['members', 'rights', 'links', 'sessions'] as const;

type Theme = (typeof THEMES)[number];

/** How many of 100 commands are of each kind, by theme; the rest are updates of users. */
const MIXES = [
  ['listOwnSessions', { members: 1, rights: 1, links: 0, sessions: 2 }],
  ['endOwnSession', { members: 1, rights: 1, links: 0, sessions: 3 }],
  ['refreshSession', { members: 8, rights: 2, links: 4, sessions: 67 }],
  ['endSession', { members: 2, rights: 0, links: 0, sessions: 1 }],
  ['logIn', { members: 7, rights: 10, links: 6, sessions: 8 }],
  ['getUser', { members: 5, rights: 3, links: 0, sessions: 6 }],
  ['updateDivision', { members: 7, rights: 3, links: 0, sessions: 0 }],
  ['createUser', { members: 18, rights: 7, links: 1, sessions: 0 }],
  ['deleteUser', { members: 11, rights: 15, links: 4, sessions: 1 }],
  ['createPasswordLink', { members: 2, rights: 4, links: 18, sessions: 0 }],
  ['redeemPasswordLink', { members: 2, rights: 4, links: 30, sessions: 0 }],
] as const;

const drawKind = (random: Random, theme: Theme): Exclude<Command['kind'], OperatorCommand['kind']> => {
  let left = random.below(100);
  for (const [kind, shares] of MIXES) {
    left -= shares[theme];
    if (left < 0) return kind;
  }
  return 'updateUser';
};

const NAMES = ['ada', 'eve', 'EVE', 'gus', 'uma', 'lee', 'new', 'newer', 'newest'] as const;
/** Picks the last item in `percent` of 100 draws, otherwise any item. */
const pickLatest = <T>(random: Random, items: readonly T[], percent: number): T | undefined =>
  random.chance(percent) ? items.at(-1) : random.pick(items);

/** Makes the next command of a client who acts for `user`. */
export const generate = (
  random: Random,
  model: Model,
  knowledge: Knowledge,
  theme: Theme,
  user: ModelUser,
): Command => {
  const { prefix, userIds, revisions } = knowledge;
  const known = knowledge.tokens.get(user.id);
  const access = known && pickLatest(random, known.access, 85);
  const password = (percent: number): string => (random.chance(percent) ? user.password : random.pick(PASSWORDS));
  const logIn = (): Command => ({ kind: 'logIn', username: user.username, password: password(85) });
  if (known === undefined || access === undefined) return logIn();

  const anyGroups = () => GROUPS.filter(() => random.chance(40));
  const fieldsFor = (target: string): UserFields => {
    // In the theme of links, only what affects links: rights, activity and passwords.
    switch (theme === 'links' ? 5 + random.below(5) : random.below(10)) {
      case 0:
        return { username: prefix + random.pick(NAMES) };
      case 1:
        return { email: `${random.pick(NAMES)}@${prefix}example.org` };
      case 2:
      case 3:
      case 4:
        knowledge.names += 1;
        return { firstName: `name ${knowledge.names}` };
      case 5:
      case 6:
        return { groups: anyGroups() };
      case 7:
        return { isActive: random.chance(50) };
      default: {
        const own = target === user.id && random.chance(95) ? { currentPassword: password(85) } : {};
        return { password: random.pick(PASSWORDS), ...own };
      }
    }
  };
  const revisionsOf = (target: string) => {
    if (!random.chance(20)) return {};
    return { revisions: random.chance(85) ? [revisions.get(target) ?? '1.1'] : ['0.0', '0'] };
  };
  const drawTarget = (): string => (random.chance(30) ? user.id : random.pick(userIds)) ?? user.id;
  const update = (): CallerCommand => {
    const target = drawTarget();
    const fields = { ...fieldsFor(target), ...(random.chance(25) ? fieldsFor(target) : {}) };
    return { kind: 'updateUser', access, target, fields, ...revisionsOf(target) };
  };

  const create = (): Omit<CommandOf<'createUser'>, 'access'> => {
    const previous = knowledge.creations.get(user.id);
    if (previous && random.chance(50)) {
      return random.chance(70)
        ? previous
        : { ...previous, fields: { ...previous.fields, password: random.pick(PASSWORDS) } };
    }
    const fields = { username: prefix + random.pick(NAMES), password: random.pick(PASSWORDS) };
    return {
      kind: 'createUser',
      fields: random.chance(40) ? { ...fields, groups: anyGroups() } : fields,
      ...(random.chance(60) ? { key: random.pick(['key-1', 'key-2'] as const) } : {}),
    };
  };

  const link = (): CallerCommand => ({
    kind: 'createPasswordLink',
    access,
    target: random.pick(userIds) ?? user.id,
  });
  /** Redeems a link, usually an open one. If no link is open, usually creates a link instead. */
  const redeem = (): Command => {
    const digests = new Set([...model.links.values()].map(({ digest }) => digest));
    const open = knowledge.links.filter((token) => digests.has(digestsOf(token).digest));
    if (open.length === 0 && random.chance(75)) return link();
    const token = random.pick(open.length > 0 && random.chance(75) ? open : knowledge.links) ?? 'no token';
    return { kind: 'redeemPasswordLink', token, password: random.pick(PASSWORDS) };
  };

  const kind = drawKind(random, theme);
  switch (kind) {
    case 'logIn':
      return logIn();
    case 'refreshSession':
    case 'endSession':
      return { kind, token: pickLatest(random, known.refresh, 45) ?? '' };
    case 'getUser':
      return { kind, access, target: drawTarget() };
    case 'listOwnSessions':
      return { kind, access };
    case 'endOwnSession': {
      const own = [...model.sessions].filter(([, { userId }]) => userId === user.id || random.chance(20));
      return { kind, access, target: random.pick(own)?.[0] ?? user.id };
    }
    case 'createUser': {
      const creation = { ...create(), access };
      knowledge.creations.set(user.id, creation);
      return creation;
    }
    case 'deleteUser': {
      const target = drawTarget();
      return { kind, access, target, ...revisionsOf(target) };
    }
    case 'updateDivision': {
      const target = random.pick([...model.divisions.keys()]) ?? '';
      const name = { name: `${prefix}${random.pick(['north', 'south', 'SOUTH', 'west'])}` };
      const fields = random.chance(60) ? name : { logo: `https://example.org/${random.below(3)}` };
      return { kind, access, target, fields, ...revisionsOf(target) };
    }
    case 'createPasswordLink':
      return link();
    case 'redeemPasswordLink':
      return redeem();
    case 'updateUser':
    default:
      return update();
  }
};

/**
 * Makes an operation on any user, more often on the users and issuers of links: a move to any division, a link, or a
 * change.
 */
export const generateOperation = (random: Random, model: Model, { userIds }: Knowledge): OperatorCommand => {
  const linked = [...model.links].flatMap(([userId, { issuerId }]) => [userId, issuerId ?? userId]);
  const target = random.pick(linked.length > 0 && random.chance(60) ? linked : userIds) ?? '';
  if (random.chance(50)) {
    const groups = random.chance(40) ? { groups: GROUPS.filter(() => random.chance(50)) } : {};
    const divisionId = random.pick([...model.divisions.keys()]) ?? '';
    return { kind: 'moveUser', target, divisionId, ...groups, force: random.chance(60) };
  }
  if (random.chance(50)) return { kind: 'linkUser', target, hours: random.pick([1, 72, 720]) };
  const settings: readonly Pick<CommandOf<'setUser'>, 'fields' | 'flags'>[] = [
    { fields: {}, flags: { isStaff: random.chance(50) } },
    { fields: {}, flags: { isSuperuser: random.chance(50) } },
    { fields: { isActive: random.chance(50) }, flags: {} },
    { fields: { groups: GROUPS.filter(() => random.chance(50)) }, flags: {} },
    { fields: { password: random.pick(PASSWORDS) }, flags: {} },
  ];
  const setting = random.pick(settings) ?? { fields: {}, flags: {} };
  return { kind: 'setUser', target, ...setting, force: random.chance(50) };
};
