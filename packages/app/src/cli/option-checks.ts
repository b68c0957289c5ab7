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

/**
 * Reports an option with a value as wrong usage if it is given twice, because Commander would ignore the first value: a call
 * with two users would erase only one of them. A variadic option may be repeated.
 *
 * Also reports an empty value, which is usually an unset variable of a script. Options with a parser are
 * not checked, because their parser decides.
 */
export const checkOptionValues = (command: Command): Command => {
  const given = new Set<string>();
  for (const option of command.options.filter(({ required }) => required)) {
    const { flags, parseArg, variadic } = option;
    command.on(`option:${option.name()}`, (value: string) => {
      if (given.has(flags) && !variadic) command.error(`error: option '${flags}' is given more than once`);
      given.add(flags);
      if (value === '' && !parseArg) command.error(`error: option '${flags}' must not be empty`);
    });
  }
  return command;
};
