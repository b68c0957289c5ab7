/** How many look-ups one statement takes at most. */
const MAX_BATCH_SIZE = 500;

/** Milliseconds that later look-ups wait for the answer to earlier ones, at most: a connection may be silent for longer. */
const BATCH_WAIT_MS = 20;

interface Waiting<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers look-ups into one: those of one turn of the event loop, and those that come while earlier ones are under way,
 * so that there are the fewer statements the busier the service is. `load` is called after all of them were asked, never
 * with a question that was asked after it, so that every answer is as fresh as if it had been looked up alone. It gives
 * the answers in the order of the keys. Where it fails, all who share it fail; where it is silent, others are sent after
 * `waitMs` milliseconds, each on a connection of its own.
 */
export const batched = <Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
  waitMs: number = BATCH_WAIT_MS,
) => {
  let waiting: Waiting<Key, Value>[] = [];
  let isHeld = false;
  const send = async (): Promise<void> => {
    const asked = waiting;
    waiting = [];
    if (asked.length === 0) return;
    try {
      const values = await load(asked.map(({ key }) => key));
      for (const [at, { resolve }] of asked.entries()) resolve(values[at] as Value);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  };
  const sendSoon = (): void => {
    isHeld = true;
    setImmediate(() => {
      let isOver = false;
      const goOn = (): void => {
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        isHeld = false;
        if (waiting.length > 0) sendSoon();
      };
      const timer = setTimeout(goOn, waitMs);
      void send().finally(goOn);
    });
  };
  return (key: Key): Promise<Value> =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (waiting.length === MAX_BATCH_SIZE) void send();
      else if (!isHeld) sendSoon();
    });
};
