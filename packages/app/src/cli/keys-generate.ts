import { type Command, Option } from 'commander';
import type { Algorithm } from '../tokens/key-set.ts';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';

/** Makes the option for the signature algorithm. */
export const algorithmOption = (): Option =>
  new Option('--algorithm <name>', 'EdDSA (Ed25519) or ES256 (P-256)').choices(['EdDSA', 'ES256']);

/** Makes the `keys generate` command, which prints a new private JWK set. */
export const keysGenerate = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'generate',
      description: 'generate a signing key for tokens and print it as a private JWK set',
      examples: [
        [
          'keys generate > keys.json',
          'Write the file for JWT_KEYS_FILE; run "umask 077" first so that only you can read it',
        ],
      ],
      options: (command) => command.addOption(algorithmOption().default('EdDSA')),
    },
    async ({ algorithm }: { algorithm: Algorithm }) => {
      const { generateKey, keySetText } = await import('../tokens/make-keys.ts');
      const key = generateKey(algorithm);
      return { value: { keys: [key] }, text: keySetText([key]) };
    },
  );
