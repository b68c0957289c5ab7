import type { Command } from 'commander';

/**
 * Checks required options after all others, so that a misspelled required option is reported as unknown, not as
 * missing.
 */
export const checkRequiredOptionsLast = (command: Command): Command => {
  const required = command.options.filter(({ mandatory }) => mandatory);
  for (const option of required) option.makeOptionMandatory(false);
  return command.hook('preAction', (called) => {
    for (const option of required) {
      if (called.getOptionValue(option.attributeName()) === undefined)
        called.error(`error: required option '${option.flags}' not specified`);
    }
  });
};

/** Names of options that a call may give more than once. */
const REPEATABLE = new Set(['group']);

/** Options whose value names a stored record or a file. An empty one is usually an unset variable of a script. */
const NAMING = /<(?:user|division|id|migration|file|path)>$/;

/**
 * Reports an option with a value as wrong usage if it is given twice, because Commander would ignore the first value: a call
 * with two users would erase only one of them. Also reports an empty value of an option that names a record or a file.
 */
export const checkOptionValues = (command: Command): Command => {
  const given = new Set<string>();
  for (const option of command.options.filter(({ required }) => required)) {
    const name = option.name();
    command.on(`option:${name}`, (value: string) => {
      if (given.has(name) && !REPEATABLE.has(name))
        command.error(`error: option '${option.flags}' is given more than once`);
      given.add(name);
      if (value === '' && NAMING.test(option.flags)) command.error(`error: option '${option.flags}' must not be empty`);
    });
  }
  return command;
};
