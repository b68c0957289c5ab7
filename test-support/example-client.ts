import { execute } from './processes.ts';

/** Makes functions that run the example client in Python against a service, with the password of its accounts. */
export const makeExampleClient = (serviceUrl: () => string, password: string) => {
  const env = { ...process.env, CHAPTER_PASSWORD: password, PYTHONDONTWRITEBYTECODE: '1' };

  /** Calls an operation. Resolves with the parsed output, and rejects if the client reports an error. */
  const call = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const program = ['examples/python/chapter.py', '--service', serviceUrl()];
    const { stdout } = await execute('python3', [...program, ...args], { env });
    return JSON.parse(stdout);
  };

  return {
    call,

    /** Calls an operation, and resolves with the exit code and the message of its error; null if there is none. */
    failure: (...args: readonly string[]): Promise<unknown> =>
      call(...args).then(
        () => null,
        ({ code, stderr }: { code: number; stderr: string }) => [code, stderr.trim()],
      ),

    /** Runs a Python program that imports the client, with the URL of the service as its argument. */
    run: async (program: readonly string[]): Promise<unknown> => {
      const options = { env, cwd: 'examples/python' };
      const { stdout } = await execute('python3', ['-c', program.join('\n'), serviceUrl()], options);
      return JSON.parse(stdout);
    },
  };
};
