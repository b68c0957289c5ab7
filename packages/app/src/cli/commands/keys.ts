import { Option } from 'commander';
import { formatCount } from '../../text/text.ts';
import { rotateKeyFile } from '../../tokens/key-file.ts';
import { type Algorithm, generateKey, keySetText } from '../../tokens/key-set.ts';
import { defineCommand, defineGroup } from '../steps/define-command.ts';

const algorithmOption = (): Option =>
  new Option('--algorithm <name>', 'EdDSA (Ed25519) or ES256 (P-256)').choices(['EdDSA', 'ES256']);

const generate = defineCommand({
  name: 'generate',
  description: 'generate a signing key for tokens and print it as a private JWK set',
  examples: [
    [
      'keys generate > keys.json',
      'Write the file for JWT_KEYS_FILE; run "umask 077" first so that only you can read it',
    ],
  ],
  options: (command) => command.addOption(algorithmOption().default('EdDSA')),
  run: ({ algorithm }: { algorithm: Algorithm }) => {
    const keys = [generateKey(algorithm)];
    return { value: { keys }, text: keySetText(keys) };
  },
});

const rotate = defineCommand({
  name: 'rotate',
  description: 'add a new signing key to a key file; running services reload the file, and sessions stay valid',
  examples: [['keys rotate --file keys.json', 'Sign new tokens with a new key']],
  options: (command) =>
    command
      .requiredOption('--file <path>', 'a private JWK set, as printed by "keys generate"')
      .addOption(algorithmOption()),
  run: ({ algorithm, file }: { file: string; algorithm?: Algorithm }) => {
    const { check, signs } = rotateKeyFile(file, algorithm);
    const text = `New tokens are signed with key ${signs}; ${formatCount(check.length, 'older key')} can still verify tokens.\n`;
    return { value: { signs, check }, text };
  },
});

/** The `keys` commands. */
export const keyCommands = defineGroup('keys', 'generate and rotate the signing keys of tokens', [generate, rotate]);
