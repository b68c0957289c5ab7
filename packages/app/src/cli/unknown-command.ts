import { nearest } from '@chapter/adapters-http/names';
import type { Command } from 'commander';

/**
 * Makes a command report an argument that is not one of its subcommands as wrong usage. The error suggests the most similar
 * subcommand, or lists them all.
 */
export const reportUnknownCommands = (command: Command): void => {
  const report = (name: string): never => {
    const names = command.commands.map((subcommand) => subcommand.name());
    const meant = nearest(name, names);
    const help = meant === undefined ? `The commands are: ${names.join(', ')}` : `(Did you mean ${meant}?)`;
    return command.error(`error: unknown command '${name}'\n${help}`);
  };
  // Only a command without an action emits this event. A command with an action gets the unknown name as an argument.
  command
    .on('command:*', ([name = '']: readonly string[]) => report(name))
    .allowExcessArguments()
    .hook('preAction', (_, called) => {
      const [name] = called.args;
      if (called === command && name !== undefined) report(name);
    });
};
