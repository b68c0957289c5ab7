import type { Ask } from '../../src/cli/ask.ts';
import type { CliContext } from '../../src/cli/context.ts';
import { runCli } from '../../src/cli/run.ts';

/** The exit status and output of a call of the command line. */
export interface Called {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** A context without input, settings and a terminal, which discards output. */
export const silentContext: CliContext = {
  variables: {},
  readInput: () => Promise.resolve(new Uint8Array()),
  ask: null,
  askSecret: null,
  write: () => {},
  drained: () => Promise.resolve(),
  writeError: () => {},
  terminal: null,
  colours: { out: false, err: false },
};

/** Calls the command line in this process. */
export const call = async (
  args: readonly string[],
  {
    variables = {},
    input = '',
    colours = false,
    ask = null,
  }: { variables?: Record<string, string>; input?: string | Uint8Array; colours?: boolean; ask?: Ask | null } = {},
): Promise<Called> => {
  let out = '';
  let err = '';
  const status = await runCli(args, {
    ...silentContext,
    variables: { SCRYPT_LOG_N: '4', SCRYPT_P: '1', ...variables },
    readInput: () => Promise.resolve(Buffer.from(input)),
    ask,
    write: (text) => {
      out += text;
    },
    writeError: (text) => {
      err += text;
    },
    colours: { out: colours, err: colours },
  });
  return { status, out, err };
};
