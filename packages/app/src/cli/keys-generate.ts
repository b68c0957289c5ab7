import { type Command, Option } from 'commander';
import type { Algorithm } from '../tokens/key-set.ts';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';

/** How tokens are to be signed. */
export const algorithmOption = (): Option =>
  new Option('--algorithm <name>', 'EdDSA (Ed25519) or ES256 (P-256)').choices(['EdDSA', 'ES256']);

/** `keys generate`: a new private JWK set on standard output. */
export const keysGenerate = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'generate',
      description: 'make a key to sign tokens with, and print it as a private JWK set',
      examples: [
        [
          'keys generate > keys.json',
          'The file for JWT_KEYS_FILE; with "umask 077" before it, nobody else can read it',
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
