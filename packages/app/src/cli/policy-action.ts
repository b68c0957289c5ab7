import { nearest } from '@chapter/adapters-http/names';
import { type Action, policy } from '@chapter/domain';
import { type Command, InvalidArgumentError, Option } from 'commander';

const ACTIONS = Object.keys(policy) as Action[];

const parseAction = (text: string): Action => {
  const written = text.replace(/[-_ ]+(\w)/g, (_, letter: string) => letter.toUpperCase());
  const known = ACTIONS.find((name) => name.toLowerCase() === written.toLowerCase());
  if (known) return known;
  const meant = nearest(written, ACTIONS);
  throw new InvalidArgumentError(meant ? `Did you mean ${meant}?` : `It must be one of ${ACTIONS.join(', ')}.`);
};

/** Makes the required option `--action`. It accepts an action of the policy in any case, with or without hyphens. */
export const actionOption = (): Option =>
  new Option('--action <action>', 'the action').choices(ACTIONS).argParser(parseAction).makeOptionMandatory();

/** Returns the kind of target that an action needs, by testing which properties its policy row requires. */
export const targetKindOf = (action: Action): 'service' | 'division' | 'user' => {
  const { readTarget } = policy[action];
  if (readTarget({}) !== null) return 'service';
  return readTarget({ divisionId: null }) === null ? 'user' : 'division';
};

/** Reports a target that does not fit the action as wrong usage. The division may be omitted. */
export const checkTarget = (called: Command): void => {
  const { action, division, user } = called.opts<{ action?: Action; user?: string; division?: string }>();
  // A missing action is reported as a missing required option.
  if (action === undefined) return;
  const kind = targetKindOf(action);
  if (kind === 'user' && user === undefined) called.error(`error: ${action} concerns a user; name one with --user`);
  const surplus = [
    ...(kind !== 'user' && user !== undefined ? ['--user'] : []),
    ...(kind !== 'division' && division !== undefined ? ['--division'] : []),
  ];
  if (surplus.length > 0) {
    const concern = kind === 'service' ? 'neither a user nor a division' : `a ${kind}`;
    called.error(`error: ${action} concerns ${concern}; remove ${surplus.join(' and ')}`);
  }
};
