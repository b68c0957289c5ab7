import type { Ask } from '../../src/cli/ask.ts';
import { runCli } from '../../src/cli/run.ts';

/** The exit status and output of a call of the command line. */
export interface Called {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

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
    variables: { SCRYPT_LOG_N: '4', SCRYPT_P: '1', ...variables },
    readInput: () => Promise.resolve(Buffer.from(input)),
    ask,
    write: (text) => {
      out += text;
    },
    drained: () => Promise.resolve(),
    writeError: (text) => {
      err += text;
    },
    terminal: null,
    colours: { out: colours, err: colours },
  });
  return { status, out, err };
};
