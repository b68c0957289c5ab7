import type { Command } from 'commander';
import { formatCount } from '../text/format-count.ts';
import type { Algorithm } from '../tokens/key-set.ts';
import type { CliContext } from './context.ts';
import { algorithmOption } from './keys-generate.ts';
import { makeCommand } from './make-command.ts';

/** Makes the `keys rotate` command: a new key signs tokens, and older keys still verify them. */
export const keysRotate = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'rotate',
      description: 'add a new signing key to a key file; running services reload the file, and sessions stay valid',
      examples: [['keys rotate --file keys.json', 'Sign new tokens with a new key']],
      options: (command) =>
        command
          .requiredOption('--file <path>', 'a private JWK set, as printed by "keys generate"')
          .addOption(algorithmOption()),
    },
    async ({ algorithm, file }: { file: string; algorithm?: Algorithm }) => {
      const { rotateKeyFile } = await import('../tokens/rotate-key-file.ts');
      const { check, signs } = rotateKeyFile(file, algorithm);
      const text = `New tokens are signed with key ${signs}; ${formatCount(check.length, 'older key')} can still verify tokens.\n`;
      return { value: { signs, check }, text };
    },
  );
