import { expect } from 'chai';
import type { ResponseJson } from '../../../../test-support/client.ts';
import { runCli } from '../../src/cli/run.ts';
import type { Ask, CliContext } from '../../src/cli/steps/context.ts';

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

/** What `users erase` prints before it erases. */
const DESCRIBED_USER = /^id +[-0-9a-f]+\nusername +\S+\n(?:division +.+\n)?state +.+\n$/;

/**
 * Returns functions that call commands with settings. In a text, spaces separate the arguments.
 *
 * `json` returns the result of a command that must succeed, `fault` the error of one that must fail.
 */
export const makeChapter = (settings: () => Record<string, string>) => {
  const chapter = (
    args: string | readonly string[],
    input: string | Uint8Array = '',
    ask: Ask | null = null,
  ): Promise<Called> =>
    call(typeof args === 'string' ? args.split(' ') : args, {
      variables: { PUBLIC_URL: 'http://localhost:3000', ...settings() },
      input,
      ask,
    });
  return {
    chapter,
    json: async <T = ResponseJson>(args: string, input = ''): Promise<T> => {
      const { err, out, status } = await chapter(`${args} --json`, input);
      expect(err).to.match(args.includes('users erase') ? DESCRIBED_USER : /^$/);
      expect(status).to.equal(0);
      return JSON.parse(out) as T;
    },
    fault: async (
      args: string | readonly string[],
      input: string | Uint8Array = '',
      ask: Ask | null = null,
    ): Promise<string> => {
      const { err, out, status } = await chapter(args, input, ask);
      expect([status, out]).to.deep.equal([1, '']);
      return err;
    },
  };
};
