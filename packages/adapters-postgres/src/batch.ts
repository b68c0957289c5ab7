/** How many look-ups one statement takes at most. */
const MOST = 500;

interface Waiting<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers the look-ups of one turn of the event loop into one. `load` is called after all of them were asked, never
 * with a question that was asked after it, so that every answer is as fresh as if it had been looked up alone. It gives
 * the answers in the order of the keys.
 */
export const batched = <Key, Value>(load: (keys: readonly Key[]) => Promise<readonly Value[]>) => {
  let waiting: Waiting<Key, Value>[] = [];
  const send = async (): Promise<void> => {
    const asked = waiting;
    waiting = [];
    try {
      const values = await load(asked.map(({ key }) => key));
      for (const [at, { resolve }] of asked.entries()) resolve(values[at] as Value);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  };
  return (key: Key): Promise<Value> =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (waiting.length === 1) setImmediate(() => void (waiting.length > 0 && send()));
      else if (waiting.length === MOST) void send();
    });
};
