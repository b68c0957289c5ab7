/** Makes timers that fire when a test advances the time. */
export const makeFakeTimers = () => {
  let now = 0;
  let started = 0;
  const pending = new Set<{ readonly at: number; readonly action: () => void }>();
  return {
    now: () => now,
    start: (milliseconds: number, action: () => void) => {
      const timer = { at: now + milliseconds, action };
      started += 1;
      pending.add(timer);
      return () => void pending.delete(timer);
    },
    /** How many timers were ever started. */
    started: () => started,
    /** How many timers have neither fired nor been stopped. */
    running: () => pending.size,
    advance: (milliseconds: number) => {
      now += milliseconds;
      for (const timer of pending) {
        if (timer.at > now) continue;
        pending.delete(timer);
        timer.action();
      }
    },
  };
};
