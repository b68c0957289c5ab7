import { expect } from 'chai';
import { type Command, CommanderError, type Option } from 'commander';
import { atLeast } from '../../../../test-support/counts.ts';
import { makeProgram } from '../../src/cli/run.ts';
import { silentContext } from './call.ts';

/** Parses options of a command without running it, and returns the error; empty without an error. */
const errorOf = (path: readonly string[], ...options: readonly string[]): string => {
  let errors = '';
  const writeError = (text: string): void => {
    errors += text;
  };
  const command = path.reduce<Command | undefined>(
    (parent, name) => parent?.commands.find((subcommand) => subcommand.name() === name),
    makeProgram({ ...silentContext, writeError }),
  );
  try {
    command?.parseOptions([...options]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  return errors;
};

interface FoundOption {
  readonly path: readonly string[];
  readonly option: Option;
}

/** Returns all options with a value of a command and of its subcommands. */
const valueOptionsOf = (command: Command, path: readonly string[] = []): readonly FoundOption[] => [
  ...command.options.filter(({ required, optional }) => required || optional).map((option) => ({ path, option })),
  ...command.commands.flatMap((subcommand) => valueOptionsOf(subcommand, [...path, subcommand.name()])),
];

const ACCEPT_EMPTY = new Set([
  'users create --email',
  'users create --first-name',
  'users create --last-name',
  'users set --email',
]);
const REPEATABLE = new Set(['users create --group', 'users set --group', 'users move --group']);

const SAMPLE_VALUES = ['x', '1', 'true', '2026-01-31'];

describe('An option with a value', () => {
  for (const { path, option } of atLeast(40, valueOptionsOf(makeProgram(silentContext)))) {
    const { argChoices = [], flags, long } = option;
    const name = [...path, long].join(' ');
    const [flag = ''] = flags.split(' ');

    it(`${ACCEPT_EMPTY.has(name) ? 'may' : 'must not'} be empty: ${name}`, () => {
      const error = errorOf(path, flag, '');
      if (ACCEPT_EMPTY.has(name)) expect(error).to.equal('');
      else expect(error.startsWith(`error: option '${flags}' `), error).to.equal(true);
    });

    it(`${REPEATABLE.has(name) ? 'may' : 'must not'} be given twice: ${name}`, () => {
      const value = [...argChoices, ...SAMPLE_VALUES].find((sample) => errorOf(path, flag, sample) === '');
      expect(value, 'a valid value').to.be.a('string');
      const given = [flag, value ?? ''];
      expect(errorOf(path, ...given, ...given)).to.equal(
        REPEATABLE.has(name) ? '' : `error: option '${flags}' is given more than once\n`,
      );
    });
  }
});
