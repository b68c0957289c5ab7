import { GROUPS } from '../../../packages/domain/src/index.ts';
import type { CallerCommand, Command, Creation, OperatorCommand, UserFields, UserSettingCommand } from './commands.ts';
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
  readonly creations: Map<string, Creation>;
  /** The latest known revision of each user or division. */
  readonly revisions: Map<string, string>;
  /** Counts generated first names, which are unique so that every lost update shows. */
  names: number;
}

/** How many of 100 commands are of each kind; the rest are updates of users. */
type Mix = Readonly<Record<Exclude<Command['kind'], 'updateUser' | OperatorCommand['kind']>, number>>;

/** The mixes of commands that histories use. */
export const THEMES = {
  members: {
    listOwnSessions: 1,
    endOwnSession: 1,
    refreshSession: 8,
    endSession: 2,
    logIn: 7,
    getUser: 5,
    updateDivision: 7,
    createUser: 18,
    deleteUser: 11,
    createPasswordLink: 2,
    redeemPasswordLink: 2,
  },
  rights: {
    listOwnSessions: 1,
    endOwnSession: 1,
    refreshSession: 2,
    endSession: 0,
    logIn: 10,
    getUser: 3,
    updateDivision: 3,
    createUser: 7,
    deleteUser: 15,
    createPasswordLink: 4,
    redeemPasswordLink: 4,
  },
  links: {
    listOwnSessions: 0,
    endOwnSession: 0,
    refreshSession: 4,
    endSession: 0,
    logIn: 6,
    getUser: 0,
    updateDivision: 0,
    createUser: 1,
    deleteUser: 4,
    createPasswordLink: 18,
    redeemPasswordLink: 30,
  },
  sessions: {
    listOwnSessions: 2,
    endOwnSession: 3,
    refreshSession: 67,
    endSession: 1,
    logIn: 8,
    getUser: 6,
    updateDivision: 0,
    createUser: 0,
    deleteUser: 1,
    createPasswordLink: 0,
    redeemPasswordLink: 0,
  },
} as const satisfies Readonly<Record<string, Mix>>;

const drawKind = (random: Random, mix: Mix): Exclude<Command['kind'], OperatorCommand['kind']> => {
  let left = random.below(100);
  for (const [kind, share] of Object.entries(mix) as [keyof Mix, number][]) {
    left -= share;
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
  theme: keyof typeof THEMES,
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

  const create = (): Omit<Creation, 'access'> => {
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

  const kind = drawKind(random, THEMES[theme]);
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
  const settings: readonly Pick<UserSettingCommand, 'fields' | 'flags'>[] = [
    { fields: {}, flags: { isStaff: random.chance(50) } },
    { fields: {}, flags: { isSuperuser: random.chance(50) } },
    { fields: { isActive: random.chance(50) }, flags: {} },
    { fields: { groups: GROUPS.filter(() => random.chance(50)) }, flags: {} },
    { fields: { password: random.pick(PASSWORDS) }, flags: {} },
  ];
  const setting = random.pick(settings) ?? { fields: {}, flags: {} };
  return { kind: 'setUser', target, ...setting, force: random.chance(50) };
};
