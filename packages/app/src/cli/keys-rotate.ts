import type { Command } from 'commander';
import type { Algorithm } from '../tokens/key-set.ts';
import type { CliContext } from './context.ts';
import { algorithmOption } from './keys-generate.ts';
import { makeCommand } from './make-command.ts';

/** `keys rotate`: a new key signs, the old ones go on checking. */
export const keysRotate = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'rotate',
      description: 'put a new key first in a file of keys; services that use the file notice, and nobody is logged out',
      examples: [['keys rotate --file keys.json', 'Sign with a new key from now on']],
      options: (command) =>
        command
          .requiredOption('--file <path>', 'a private JWK set, as "keys generate" makes it')
          .addOption(algorithmOption()),
    },
    async ({ algorithm, file }: { file: string; algorithm?: Algorithm }) => {
      const { rotateKeyFile } = await import('../tokens/rotate-key-file.ts');
      const { check, signs } = rotateKeyFile(file, algorithm);
      const text = `The key ${signs} signs from now on. It is checked with ${check.length} older as well.\n`;
      return { value: { signs, check }, text };
    },
  );
