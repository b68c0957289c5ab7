import { nearest } from '@chapter/adapters-http/names';
import { type Action, policy } from '@chapter/domain';
import { InvalidArgumentError, Option } from 'commander';

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
